namespace Weir.Lab.Measuring;

/// <summary>What a process costs that has nothing to do, with all that it started: wake-ups and processor time by the second.</summary>
/// <param name="Wakeups">How often per second a thread gave up the processor to wait: wake-ups, seen from the other end.</param>
/// <param name="CpuMilliseconds">Processor time per second; the kernel counts it in steps of 10 ms.</param>
internal readonly record struct Idleness(double Wakeups, double CpuMilliseconds)
{
    public static async Task<Idleness> OverAsync(ProcessMeter meter, TimeSpan time, CancellationToken cancellation)
    {
        var (before, cpu, began) = (WaitsOf(meter), meter.CpuSecondsOfAll, Clock.Now);
        await Task.Delay(time, cancellation);
        var seconds = Clock.SecondsSince(began);
        return new Idleness(Between(before, WaitsOf(meter)) / seconds, (meter.CpuSecondsOfAll - cpu) * 1_000 / seconds);
    }

    /// <summary>Of all threads that are there now: those that have come count from their beginning, those that have gone do not.</summary>
    internal static long Between(IReadOnlyDictionary<string, long> before, IReadOnlyDictionary<string, long> now) =>
        now.Sum(thread => thread.Value - before.GetValueOrDefault(thread.Key));

    private static Dictionary<string, long> WaitsOf(ProcessMeter meter) =>
        meter.Children.Select(pid => new ProcessMeter(pid)).Prepend(meter).SelectMany(process => process.WaitsByThread).ToDictionary();
}
