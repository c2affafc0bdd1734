using Weir.Cli.Answers;

namespace Weir.Cli.Jobs;

/// <summary>An answer of the server, in memory.</summary>
/// <param name="Address">What was asked.</param>
/// <param name="Status">Its status.</param>
/// <param name="Text">Its body.</param>
internal sealed record JobsAnswer(Uri Address, int Status, ReadOnlyMemory<byte> Text)
{
    /// <summary>After what time the server wants to be asked again; <c>null</c> where it does not say.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Whether it is what was asked for.</summary>
    public bool IsSuccess => Status is >= 200 and < 300;

    /// <summary>Whether something between, or a server that is stopping, answered: the same request may succeed later.</summary>
    public bool IsPassing => MayPass(Status);

    /// <summary>Whether an answer with this status may be another one later.</summary>
    public static bool MayPass(int status) => status is 429 or 502 or 503 or 504;

    /// <summary>The job that it has.</summary>
    /// <exception cref="JobsException">It has none.</exception>
    public JobView Job() => (JsonMembers.Parse(Text) is { } json ? JobView.Read(json) : null) ?? throw new JobsException($"{Address} answered {Status} with what is no job; is it served by app.MapWeirJobs()?");
}
