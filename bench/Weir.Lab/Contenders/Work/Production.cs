using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>What the producers of this process have done: the experiments' own count, kept by the producers themselves.</summary>
internal static class Production
{
    private static long _produced;
    private static long _started;
    private static long _ended;
    private static long _endedAt;
    private static long _cancelledAt;
    private static long _logged;
    private static string _lastLog = "";

    public static void Started()
    {
        Interlocked.Increment(ref _started);
        Volatile.Write(ref _cancelledAt, 0);
    }

    public static void Produced() => Interlocked.Increment(ref _produced);

    /// <summary>A producer was disposed, at its end or before.</summary>
    public static void Ended()
    {
        Volatile.Write(ref _endedAt, Clock.Now);
        Interlocked.Increment(ref _ended);
    }

    /// <summary>A producer saw its token.</summary>
    public static void Cancelled() => Volatile.Write(ref _cancelledAt, Clock.Now);

    public static void Logged(string text)
    {
        Interlocked.Increment(ref _logged);
        Volatile.Write(ref _lastLog, text);
    }

    public static ControlLine Line() => new ControlLine("ok")
        .With("produced", Interlocked.Read(ref _produced))
        .With("started", Interlocked.Read(ref _started))
        .With("ended", Interlocked.Read(ref _ended))
        .With("endedAt", Interlocked.Read(ref _endedAt))
        .With("cancelledAt", Interlocked.Read(ref _cancelledAt))
        .With("logged", Interlocked.Read(ref _logged))
        .With("lastLog", Volatile.Read(ref _lastLog));
}
