/* SPDX-License-Identifier: MIT */
/*
 * measured OUT COMMAND...: runs the command with its output to OUT, and prints its user
 * microseconds, its peak memory in KiB and its exit status. This program is small
 * because a command's peak memory is never less than that of the process that started
 * it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *out, char **command)
{
    int file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0)
        execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t child;

    if (argc < 3)
        return 2;
    child = fork();
    if (child == 0)
        run(argv[1], argv + 2);
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 1;
    printf("%lld %ld %d\n",
           (long long)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec,
           usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return 0;
}
