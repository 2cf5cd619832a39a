################################################################################
#
# prof
#
################################################################################

PROF_VERSION = 0.3
PROF_SOURCE = prof-$(PROF_VERSION).tar.gz
PROF_SITE = $(call qstrip,$(BR2_PACKAGE_PROF_SITE))
PROF_LICENSE = ISC, MIT (musl)
PROF_LICENSE_FILES = LICENSE

# A toolchain for musl is taken as it is; beside another one musl is built.
PROF_MUSL = musl-1.2.3.tar.gz
ifneq ($(BR2_TOOLCHAIN_USES_MUSL),y)
PROF_EXTRA_DOWNLOADS = https://musl.libc.org/releases/$(PROF_MUSL)
define PROF_CONFIGURE_CMDS
	mkdir -p $(@D)/cache
	cp $(PROF_DL_DIR)/$(PROF_MUSL) $(@D)/cache/musl_1.2.3.orig.tar.gz
endef
endif

PROF_MAKE = $(TARGET_MAKE_ENV) CACHE=$(@D)/cache $(MAKE) -C $(@D) CC="$(TARGET_CC)" \
	headers=$(STAGING_DIR)/usr/include LIBUNWIND=0

define PROF_BUILD_CMDS
	$(PROF_MAKE)
endef

define PROF_INSTALL_TARGET_CMDS
	$(PROF_MAKE) install PREFIX=/usr DESTDIR=$(TARGET_DIR)
endef

$(eval $(generic-package))
