using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Maps a problem that a client received to the exception that a caller in the server's own process would catch.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class RemoteProblems
{
    /// <summary>The exception of a problem.</summary>
    /// <param name="problem">What the server answered.</param>
    public static WeirException ToException(RemoteProblem problem)
    {
        WeirException error = problem switch
        {
            { Code: WeirCodes.BadArguments } => new BindingException(problem.BindingErrors),
            { Code: WeirCodes.QueueFull or WeirCodes.Draining or WeirCodes.WorkerStartRefused or WeirCodes.ProgramMissing or WeirCodes.JobStoreUnavailable or WeirCodes.TooManyWaitingJobs, Status: 503 or 429 } =>
                new CallRejectedException(problem.Code, problem.Detail, problem.RetryAfter),
            { Code: WeirCodes.DeadlineExceeded } => new DeadlineExceededException(problem.Detail),
            { Code: WeirCodes.WorkerLost or WeirCodes.WorkerStartFailed, Status: 502 } => new WorkerLostException(problem.Code, problem.Detail, "", 0, problem.Title, problem.Report),
            _ => new ProblemException(OutcomeOf(problem.Status), problem),
        };
        error.Problem = problem;
        return error;
    }

    /// <summary>Gives an exception the problem that it was made of.</summary>
    /// <typeparam name="T">The exception's type.</typeparam>
    /// <param name="error">The exception, which no other code has yet.</param>
    /// <param name="problem">What the server answered.</param>
    public static T Attach<T>(T error, RemoteProblem problem)
        where T : WeirException
    {
        error.Problem = problem;
        return error;
    }

    private static CallStatus OutcomeOf(int status) => status switch
    {
        429 or 503 => CallStatus.Rejected,
        504 => CallStatus.DeadlineExceeded,
        499 => CallStatus.Cancelled,
        502 => CallStatus.ProtocolViolation,
        >= 400 and < 500 => CallStatus.BadRequest,
        _ => CallStatus.HandlerFailed,
    };
}
