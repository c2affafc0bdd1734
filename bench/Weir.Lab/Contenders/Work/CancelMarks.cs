namespace Weir.Lab.Contenders.Work;

/// <summary>What jobs that were cancelled at random moments have written, compared with when their submitters saw that they had ended.</summary>
internal static class CancelMarks
{
    public const string Host = "host";
    public const string Worker = "worker";

    /// <summary>How long the code of a job takes that is not cancelled.</summary>
    public static readonly TimeSpan JobTime = TimeSpan.FromMilliseconds(20);

    /// <summary>How long it takes to end when it is.</summary>
    public static readonly TimeSpan CleanUp = TimeSpan.FromMilliseconds(2);

    /// <summary>Whether the job of a number runs in a worker.</summary>
    public static bool IsIsolated(long number) => number % 10 < 3;

    /// <summary>How many jobs have code that began or ended after their end was seen, or that never ended.</summary>
    /// <param name="marks">What the code has written.</param>
    /// <param name="seen">By the number of a job, the clock when its end was seen.</param>
    public static int Running(IEnumerable<JobMark> marks, IReadOnlyDictionary<long, long> seen) => marks.GroupBy(static mark => mark.Number).Count(
        job => job.Any(mark => mark.Stamp > seen[job.Key]) || job.Count(static mark => mark.IsStart) != job.Count(static mark => !mark.IsStart));
}
