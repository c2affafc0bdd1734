using System.Text;
using Weir.Execution.Pools;
using Weir.Execution.Processes;

namespace Weir.IntegrationTests.Processes;

/// <summary>Starts small programs through the launcher of this machine and keeps what they print.</summary>
internal sealed class Launched : IAsyncDisposable
{
    private static readonly IWorkerLauncher Launcher = WorkerLauncherFactory.ForThisPlatform();

    private Launched(WorkerHandle worker, LineLog log)
    {
        Worker = worker;
        Log = log;
    }

    public WorkerHandle Worker { get; }

    public LineLog Log { get; }

    public static Task<Launched> ShellAsync(string script, WorkerLimits? limits = null, Dictionary<string, string>? environment = null, string? directory = null) =>
        StartAsync("/bin/sh", ["-c", script], limits, environment, directory);

    public static async Task<Launched> StartAsync(
        string program, string[] arguments, WorkerLimits? limits = null, Dictionary<string, string>? environment = null, string? directory = null)
    {
        var log = new LineLog();
        var worker = await Launcher.LaunchAsync(new LaunchRequest
        {
            FileName = program,
            Arguments = arguments,
            Environment = environment ?? new Dictionary<string, string> { ["PATH"] = "/usr/bin:/bin" },
            WorkingDirectory = directory,
            Limits = limits ?? WorkerLimits.None,
            Output = log,
        });
        return new Launched(worker, log);
    }

    /// <summary>Waits for the end; a test that hangs says so.</summary>
    public Task<ExitReport> ExitAsync() => Worker.Exited.WithinAsync(20);

    public ValueTask DisposeAsync() => Worker.DisposeAsync();

    /// <summary>The lines of one program; counts what it does not keep.</summary>
    internal sealed class LineLog : IOutputSink
    {
        private const int MostKept = 100;
        private readonly Lock _gate = new();
        private readonly List<(OutputStream Stream, string Text)> _lines = [];

        public long Count { get; private set; }

        public TaskCompletionSource<string> First { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public IReadOnlyList<(OutputStream Stream, string Text)> Lines
        {
            get
            {
                lock (_gate)
                {
                    return [.. _lines];
                }
            }
        }

        public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut)
        {
            lock (_gate)
            {
                Count++;
                if (_lines.Count < MostKept)
                {
                    var text = Encoding.UTF8.GetString(utf8);
                    _lines.Add((stream, text));
                    First.TrySetResult(text);
                }
            }
        }
    }
}
