using System.Diagnostics;
using System.Runtime.InteropServices;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Floors;

/// <summary>How soon the kernel itself says that a process was killed: nobody can know earlier.</summary>
internal static partial class PidfdFloor
{
    private const nint PidfdOpen = 434;
    private const short PollIn = 1;

    public static LocalContender Of(int times) => new("floor pidfd", _ => Task.Run(() => Measure(times)));

    private static Round Measure(int times)
    {
        var histogram = new Histogram();
        for (var i = 0; i < times; i++)
        {
            using var process = Process.Start("sleep", "60");
            var descriptor = (int)SystemCall(PidfdOpen, process.Id, 0);
            var before = Clock.Now;
            process.Kill();
            Wait(descriptor);
            histogram.Record(Clock.NanosecondsSince(before));
            _ = Close(descriptor);
            process.WaitForExit();
        }

        return new Round().Add("death noticed p50", histogram.Milliseconds(50), "ms").Add("death noticed max", histogram.Milliseconds(100), "ms");
    }

    private static unsafe void Wait(int descriptor)
    {
        var poll = new PollDescriptor { Descriptor = descriptor, Wanted = PollIn };
        _ = Poll(&poll, 1, 1000);
    }

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    private static unsafe partial int Poll(PollDescriptor* descriptors, nuint count, int milliseconds);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int Close(int descriptor);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Wanted;
        public short Ready;
    }
}
