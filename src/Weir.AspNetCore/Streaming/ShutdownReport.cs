using System.Globalization;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Diagnostics;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Says for what a host that stops still waits: when it begins, and every 5 s until it has stopped. Before that it only knows which streams run, and has
/// no timer. One per application; used concurrently.
/// </summary>
/// <param name="options">Has the timeout.</param>
/// <param name="time">The clock.</param>
/// <param name="loggers">For the lines.</param>
internal sealed class ShutdownReport(IOptions<HostOptions> options, TimeProvider time, ILoggerFactory loggers) : IDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(5);

    // As many streams as a line names.
    private const int MostNamed = 5;

    private readonly ILogger _log = loggers.CreateLogger("Weir.AspNetCore");
    private readonly Lock _gate = new();

    // Under _gate. As many as there are requests for streams.
    private readonly HashSet<RunningStream> _streams = [];
    private WeirRuntime? _runtime;
    private long _began;
    private ITimer? _timer;

    /// <summary>A stream begins.</summary>
    internal RunningStream Add(Operation operation, bool isMovable)
    {
        var stream = new RunningStream(this, operation, time.GetTimestamp(), isMovable);
        lock (_gate)
        {
            _streams.Add(stream);
        }

        return stream;
    }

    /// <summary>A stream has ended.</summary>
    internal void Remove(RunningStream stream)
    {
        lock (_gate)
        {
            _streams.Remove(stream);
        }
    }

    /// <summary>The host begins to stop. A second call changes nothing.</summary>
    /// <param name="runtime">The pools and the lane; <c>null</c> where there are none.</param>
    internal void Begin(WeirRuntime? runtime)
    {
        lock (_gate)
        {
            if (_timer is not null)
            {
                return;
            }

            _runtime = runtime;
            _began = time.GetTimestamp();
            _timer = time.CreateTimer(static report => ((ShutdownReport)report!).Report(isFirst: false), this, Period, Period);
        }

        Report(isFirst: true);
    }

    /// <summary>The host has stopped.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _timer?.Dispose();
        }
    }

    // A timer's callback must not throw: a logger may, and services may be disposed.
    private void Report(bool isFirst)
    {
        try
        {
            string[] all = [.. Describe(isFirst)];
            if (all.Length > 0 || !isFirst)
            {
                var waits = all.Length > 0 ? string.Join(", ", all) : "requests of inline operations, or other parts of the application";
                _log.ShutdownWaits(waits, time.GetElapsedTime(_began).TotalSeconds, options.Value.ShutdownTimeout);
            }
        }
        catch (Exception)
        {
        }
    }

    private IEnumerable<string> Describe(bool isFirst)
    {
        RunningStream[] streams;
        lock (_gate)
        {
            // Those that move end now.
            streams = [.. _streams.Where(stream => !isFirst || !stream.IsMovable).OrderBy(static stream => stream.Began)];
        }

        if (streams.Length > 0)
        {
            var named = streams.Take(MostNamed).Select(stream => string.Create(CultureInfo.InvariantCulture, $"{stream.Operation}, {time.GetElapsedTime(stream.Began).TotalSeconds:0} s"));
            yield return $"{Count(streams.Length, "stream")} ({string.Join("; ", named)}{(streams.Length > MostNamed ? "; …" : "")})";
        }

        foreach (var pool in _runtime?.Pools ?? [])
        {
            // Its streams are named already.
            var calls = pool.Running + pool.Queued - streams.Count(stream => pool.Name.Equals(stream.Operation.Pool, StringComparison.OrdinalIgnoreCase));
            if (calls > 0)
            {
                yield return $"{Count(calls, "call")} of pool {pool.Name}";
            }
        }

        if (_runtime?.Lane is { } lane && lane.Busy + lane.Queued - streams.Count(static stream => stream.Operation.Placement == Placement.Lane) is > 0 and var onLane)
        {
            yield return $"{Count(onLane, "call")} of the lane";
        }
    }

    private static string Count(int count, string what) => string.Create(CultureInfo.InvariantCulture, $"{count} {what}{(count == 1 ? "" : "s")}");
}
