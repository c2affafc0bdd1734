namespace Weir.Execution.Processes;

/// <summary>The names of Linux's signals.</summary>
internal static class SignalNames
{
    private static readonly string[] Names =
    [
        "0", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP",
        "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
    ];

    public static string Of(int signal) =>
        signal > 0 && signal < Names.Length ? Names[signal] : signal >= 34 ? $"SIGRTMIN+{signal - 34}" : "no name";
}
