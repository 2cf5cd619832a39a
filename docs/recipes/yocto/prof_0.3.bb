SUMMARY = "Sampling profiler: one static binary that tells where the time goes"
LICENSE = "ISC & MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=c75435befaa2e68824de6628fe492fdd"

# prof's own source: git archive --prefix=prof-0.3/ -o prof-0.3.tar.gz HEAD, into files/ beside this recipe.
# musl, unless the distribution's C library is musl anyway: it is built on the way, with the distribution's compiler.
SRC_URI = "file://prof-${PV}.tar.gz \
           https://musl.libc.org/releases/musl-1.2.3.tar.gz;name=musl;unpack=0;downloadfilename=musl_1.2.3.orig.tar.gz"
SRC_URI[musl.sha256sum] = "7d5b0b6062521e4627e099e4c9dc8248d32a30285e959b7eecaa780cf8cfd4a4"

S = "${WORKDIR}/prof-${PV}"
B = "${S}"

# A compiler in one word, with the tools that it names.
PROF_TOOLS = "${B}/tools"
EXTRA_OEMAKE = "CC=${PROF_TOOLS}/prof-gcc headers=${STAGING_INCDIR} LIBUNWIND=0"

do_configure() {
	mkdir -p ${PROF_TOOLS} ${B}/cache
	cp ${DL_DIR}/musl_1.2.3.orig.tar.gz ${B}/cache/
	printf '#!/bin/sh\ncase $1 in -print-prog-name=*) echo ${TARGET_PREFIX}${1#*=}; exit ;; esac\nexec ${CC} "$@"\n' >${PROF_TOOLS}/prof-gcc
	printf '#!/bin/sh\nexec ${AR} "$@"\n' >${PROF_TOOLS}/prof-ar
	printf '#!/bin/sh\nexec ${RANLIB} "$@"\n' >${PROF_TOOLS}/prof-ranlib
	chmod +x ${PROF_TOOLS}/*
}

do_compile() {
	export CACHE=${B}/cache
	unset CFLAGS LDFLAGS CPPFLAGS
	oe_runmake
}

do_install() {
	export CACHE=${B}/cache
	unset CFLAGS LDFLAGS CPPFLAGS
	oe_runmake install PREFIX=${prefix} DESTDIR=${D}
}

# It has no debug information to split off, and is static: the flags of shared programs are not for it.
INHIBIT_PACKAGE_STRIP = "1"
INHIBIT_PACKAGE_DEBUG_SPLIT = "1"
INSANE_SKIP:${PN} = "already-stripped ldflags"
