using Weir.Lab.Measuring;

namespace Weir.Lab.NetPeers.OnHangfire;

/// <summary>What the jobs do: nothing.</summary>
public static class HangfireWorks
{
    private static long _started;

    /// <summary>The clock at the first instruction of the last <see cref="Stamp"/>.</summary>
    internal static long Started => Interlocked.Read(ref _started);

    public static int Nothing(int number) => number;

    public static void Stamp() => Interlocked.Exchange(ref _started, Clock.Now);
}
