using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Weir.Lab.Isolation;

namespace Weir.Lab.MonoHost;

/// <summary>Document 001's console program on .NET Framework: many tasks at once that block or await.</summary>
internal static class SleepingTasks
{
    /// <summary><c>batches</c> of <c>tasks</c> of <c>ms</c>, by <c>way</c>: per second.</summary>
    public static IEnumerable<ControlLine> Run(ControlLine request)
    {
        var milliseconds = request.Int("ms");
        var batches = request.Int("batches");
        var tasks = new Task<string>[request.Int("tasks")];
        var watch = Stopwatch.StartNew();
        for (var batch = 0; batch < batches; batch++)
        {
            for (var i = 0; i < tasks.Length; i++)
                tasks[i] = StartAsync(request, milliseconds);
            Task.WaitAll(tasks.ToArray<Task>());
        }

        if (tasks[tasks.Length - 1].Result != Text(milliseconds))
            throw new InvalidDataException($"A task of {milliseconds} ms answered '{tasks[tasks.Length - 1].Result}'.");
        return Readings.OfRate((long)tasks.Length * batches, watch.Elapsed.TotalSeconds);
    }

    public static ControlLine Answer(ControlLine request) => new ControlLine("ok").With("answer", StartAsync(request, 1).Result);

    private static Task<string> StartAsync(ControlLine request, int milliseconds) =>
        request.Is("way", "aio") ? AioAsync(milliseconds) : Task.Run(() => Bio(milliseconds));

    private static async Task<string> AioAsync(int milliseconds)
    {
        await Task.Delay(milliseconds).ConfigureAwait(false);
        return Text(milliseconds);
    }

    private static string Bio(int milliseconds)
    {
        Thread.Sleep(milliseconds);
        return Text(milliseconds);
    }

    private static string Text(int milliseconds) => "Hello world," + milliseconds.ToString(CultureInfo.InvariantCulture);
}
