/* Containers, pods and units by their cgroups' paths, as runtimes make them. */
#include "test.h"
#include "sample/tasks/container.c"

#include <unistd.h>

#define DIGITS "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"
#define OTHER "fd9d0ea06257a9780827cbc7fd92e3812a54fca26d63e191b73610d5d48b9cbd"
#define POD "2d5133c0-65f3-40b2-b375-c04866d418e1"
#define POD_ "2d5133c0_65f3_40b2_b375_c04866d418e1"

static const struct { const char *path, *name; } table[] = {
	{ "/docker/" DIGITS, "docker:4f797c539e6c" },
	{ "/system.slice/docker-" DIGITS ".scope", "docker:4f797c539e6c" },
	{ "/" DIGITS, "container:4f797c539e6c" },
	{ "/../../../docker/" DIGITS, "docker:4f797c539e6c" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/docker.service/docker-" DIGITS ".scope", "docker:4f797c539e6c" },
	{ "/default/" DIGITS, "default:4f797c539e6c" },
	{ "/system.slice/nerdctl-" DIGITS ".scope", "nerdctl:4f797c539e6c" },
	{ "/machine.slice/libpod-" DIGITS ".scope", "libpod:4f797c539e6c" },
	{ "/machine.slice/libpod-" DIGITS ".scope/container", "libpod:4f797c539e6c" },
	{ "/machine.slice/libpod-conmon-" DIGITS ".scope", "libpod-conmon:4f797c539e6c" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" DIGITS ".scope/container", "libpod:4f797c539e6c" },
	{ "/libpod_parent/libpod-" DIGITS, "libpod:4f797c539e6c" },
	{ "/kubepods/burstable/pod" POD "/" DIGITS, "pod:" POD ":4f797c539e6c" },
	{ "/kubepods/pod" POD "/" DIGITS, "pod:" POD ":4f797c539e6c" },
	{ "/kubepods/burstable/podb53dfa9e2dc9b890f7fadb2770857b03/" DIGITS, "pod:b53dfa9e2dc9b890f7fadb2770857b03:4f797c539e6c" },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice/cri-containerd-" DIGITS ".scope",
	  "pod:" POD ":4f797c539e6c" },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_ ".slice/docker-" DIGITS ".scope",
	  "pod:" POD ":4f797c539e6c" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" DIGITS ".scope", "pod:" POD ":4f797c539e6c" },
	{ "/kubepods.slice/kubepods-pod7260904bbd08e72e4dff95d9fccd2ee8.slice/cri-containerd-" DIGITS ".scope",
	  "pod:7260904bbd08e72e4dff95d9fccd2ee8:4f797c539e6c" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice", "pod:" POD },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" DIGITS ".scope/system.slice/nginx.service", "pod:" POD ":4f797c539e6c" },
	{ "/system.slice/containerd.service/kubepods-besteffort-pod" POD_ ".slice:cri-containerd:" DIGITS, "pod:" POD ":4f797c539e6c" },
	{ "/system.slice/crio-conmon-" DIGITS ".scope", "crio-conmon:4f797c539e6c" },
	/* A node that is a container itself: what is innermost counts. */
	{ "/system.slice/docker-" OTHER ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	  "kubelet-kubepods-besteffort-pod" POD_ ".slice/cri-containerd-" DIGITS ".scope", "pod:" POD ":4f797c539e6c" },
	{ "/docker/" OTHER "/kubelet/kubepods/besteffort/pod" POD, "pod:" POD },
	{ "/docker/" OTHER "/system.slice/containerd.service", "docker:fd9d0ea06257" },
	{ "/docker/" OTHER "/docker/" DIGITS, "docker:4f797c539e6c" },
	{ "/ecs/0123456789abcdef0123456789abcdef/" DIGITS, "container:4f797c539e6c" },
	{ "/ecs/0123456789abcdef0123456789abcdef/0123456789abcdef0123456789abcdef-2180000000", "container:0123456789ab" },
	{ "/lxc.payload.web/system.slice/nginx.service", "lxc:web" },
	{ "/lxc/web/init.scope", "lxc:web" },
	{ "/system.slice/nginx.service", "nginx.service" },
	{ "/system.slice/system-postgresql.slice/postgresql@15-main.service", "postgresql@15-main.service" },
	{ "/system.slice/containerd.service", "containerd.service" },
	{ "/foo.service/worker", "foo.service" },
	{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox-77.scope", "app-firefox-77.scope" },
	{ "/user.slice/user-1000.slice", "/user.slice/user-1000.slice" },
	{ "/init.scope", "init.scope" },
	{ "/mine/too", "/mine/too" },
	{ "/pod", "/pod" },
	{ "/kubepods/pod12", "/kubepods/pod12" },
	{ "/abcdef", "/abcdef" },
	{ "/.scope", "/.scope" },
	{ "/", "/" },
	{ "", "" },
	{ "//", "//" },
	{ DIGITS, "container:4f797c539e6c" },
};

static void
names(void)
{
	char name[160];

	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		CHECK_STR(container_name(table[i].path, name, sizeof name), table[i].name);
	CHECK_STR(container_name("/docker/" DIGITS, name, 8), "docker:");
	CHECK_STR(container_name("/a.service", name, 4), "a.s");
}

static void
processes(void)
{
	char name[160];

	CHECK(*container_of(getpid(), name, sizeof name) == '/' || strlen(name) > 1);
	CHECK_STR(container_of(0, name, sizeof name), "/");
	CHECK_STR(container_of(-1, name, sizeof name), "?");
	CHECK_STR(container_of(INT32_MAX, name, sizeof name), "?");
}

int
main(void)
{
	RUN("container", names);
	RUN("container", processes);
	return TEST_STATUS;
}
