namespace Weir.Cli.Terminal;

/// <summary>What the commands return.</summary>
internal static class ExitCodes
{
    /// <summary>Everything succeeded.</summary>
    public const int Success = 0;

    /// <summary>The command ran, and something failed: a request, an assertion, a check.</summary>
    public const int Failure = 1;

    /// <summary>An input is wrong; nothing was done, or not all of it.</summary>
    public const int WrongInput = 2;

    /// <summary>The job has ended without success: it failed, was cancelled, or was not started in time.</summary>
    public const int JobFailed = 3;

    /// <summary>Of <c>weir ps --check</c>: calls fail now.</summary>
    public const int CallsFail = 3;

    /// <summary>The job has not ended within the time that was given, and continues.</summary>
    public const int JobNotEnded = 4;

    /// <summary>Ctrl-C: 128 + SIGINT, as shells count.</summary>
    public const int Interrupted = 130;

    /// <summary>SIGTERM, where the command did not end in order within 5 seconds: 128 + SIGTERM.</summary>
    public const int Terminated = 143;
}
