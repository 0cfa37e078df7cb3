// SPDX-License-Identifier: MIT
// What emscripten's files of Node lack: fstat() of a file without a name, or of standard input.
mergeInto(LibraryManager.library, {
    __syscall_fstat64: function (fd, at) {
        const { nfd } = SYSCALLS.getStreamFromFD(fd);
        return SYSCALLS.doStat(() => fs.fstatSync(nfd), '', at);
    },
    __syscall_fstat64__sig: 'iii',
});
