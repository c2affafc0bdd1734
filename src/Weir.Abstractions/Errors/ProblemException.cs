namespace Weir;

/// <summary>A server answered a client with a problem that has no exception of its own: see <see cref="WeirException.Problem"/>.</summary>
public sealed class ProblemException : WeirException
{
    /// <summary>Carries a problem.</summary>
    /// <param name="status">The outcome that the HTTP status stands for.</param>
    /// <param name="problem">The problem.</param>
    public ProblemException(CallStatus status, RemoteProblem problem)
        : base(status, problem.Code, Describe(problem)) => Problem = problem;

    private static string Describe(RemoteProblem problem) =>
        problem.Detail.Length > 0 ? problem.Detail : problem.Title.Length > 0 ? problem.Title : $"The server answered with status {problem.Status}.";
}
