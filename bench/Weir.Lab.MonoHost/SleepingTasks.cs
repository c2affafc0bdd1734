using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Weir.Lab.Isolation;

namespace Weir.Lab.MonoHost;

/// <summary>Document 001's console program on .NET Framework: many tasks at once that block or await.</summary>
internal static class SleepingTasks
{
    /// <summary><c>tasks</c> of <c>ms</c>, by <c>way</c>: per second.</summary>
    public static IEnumerable<ControlLine> Run(ControlLine request)
    {
        var milliseconds = request.Int("ms");
        var tasks = new Task<string>[request.Int("tasks")];
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < tasks.Length; i++)
            tasks[i] = request.Is("way", "aio") ? AioAsync(milliseconds) : Task.Run(() => Bio(milliseconds));
        Task.WaitAll(tasks.ToArray<Task>());
        yield return Readings.Reading("tasks/s", tasks.Length / watch.Elapsed.TotalSeconds, "1/s");
        yield return Readings.Done();
    }

    public static ControlLine Answer() => new ControlLine("ok").With("answer", Bio(1));

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
