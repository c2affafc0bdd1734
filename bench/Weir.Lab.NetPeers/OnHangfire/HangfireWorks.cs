using Hangfire;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Measuring;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>What the jobs do: nothing, or something short that they write down.</summary>
public static class HangfireWorks
{
    private static long _started;
    private static int _counted;

    /// <summary>The clock at the first instruction of the last <see cref="Stamp"/>.</summary>
    internal static long Started => Interlocked.Read(ref _started);

    /// <summary>How often <see cref="Counted"/> has run.</summary>
    internal static int TimesCounted => Volatile.Read(ref _counted);

    public static int Nothing(int number) => number;

    public static int Counted(int number)
    {
        Interlocked.Increment(ref _counted);
        return number;
    }

    public static void Stamp() => Interlocked.Exchange(ref _started, Clock.Now);

    public static Task OfBacklog(long number) => JobMark.RunAsync(FairRounds.Backlog, number, FairRounds.JobTime);

    public static Task Single(long number) => JobMark.RunAsync(FairRounds.Single, number, FairRounds.JobTime);

    public static Task Repeatable(long number) => JobMark.RunAsync(ChaosJobs.Repeatable, number, ChaosJobs.JobTime);

    /// <summary>As near as Hangfire comes to a job that is started once.</summary>
    [AutomaticRetry(Attempts = 0)]
    public static Task Plain(long number) => JobMark.RunAsync(ChaosJobs.Plain, number, ChaosJobs.JobTime);
}
