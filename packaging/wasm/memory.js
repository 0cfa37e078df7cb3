// SPDX-License-Identifier: MIT
// What emscripten's files in memory lack: fstat() of a file that has lost its name.
mergeInto(LibraryManager.library, {
    __syscall_fstat64: function (fd, at) {
        const { node } = SYSCALLS.getStreamFromFD(fd);
        return SYSCALLS.doStat(() => node.node_ops.getattr(node), '', at);
    },
    __syscall_fstat64__sig: 'iii',
});
