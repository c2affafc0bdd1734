using System.Diagnostics;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Load.Measuring;

namespace Weir.Lab.Contenders.Floors;

/// <summary>How soon the kernel itself reports that a process was killed: no other program can know earlier.</summary>
internal static class PidfdFloor
{
    private const int PatienceMilliseconds = 1_000;

    public static LocalContender Of(int times) => new("floor pidfd", _ => Task.Run(() => Measure(times)));

    private static Round Measure(int times)
    {
        var histogram = new LatencyHistogram();
        for (var i = 0; i < times; i++)
        {
            using var process = Process.Start("sleep", "60");
            var descriptor = Kernel.OpenProcess(process.Id);
            var before = Clock.Now;
            process.Kill();
            Kernel.Wait(descriptor, PatienceMilliseconds);
            histogram.Record(Clock.NanosecondsSince(before));
            _ = Kernel.Close(descriptor);
            process.WaitForExit();
        }

        return new Round().Add("death noticed p50", histogram.Milliseconds(50), "ms").Add("death noticed max", histogram.Milliseconds(100), "ms");
    }
}
