using System.Diagnostics;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Contenders.Floors;

/// <summary>A task in another process with the least there can be: bytes there, the bare work, bytes back; no framing and no encoding.</summary>
internal sealed record RoundTrips(string Mode, TaskKind Kind, int Bytes, int Count)
{
    /// <summary>How long a warm-up takes.</summary>
    public required double WarmUpSeconds { get; init; }

    /// <summary>The process on the other side.</summary>
    public ProgramLaunch Launch(params IEnumerable<string> settings) =>
        ProgramLaunch.OfLab("echo", [$"mode={Mode}", $"kind={Kind}", $"bytes={Bytes}", .. settings]);

    public void WarmUp(Action<byte[]> send, Action<byte[]> receive)
    {
        var work = new FloorWork(Mode, Kind, Bytes);
        var watch = Stopwatch.StartNew();
        while (watch.Elapsed.TotalSeconds < WarmUpSeconds)
        {
            send(work.Question);
            receive(work.Answer);
        }
    }

    public Round Measure(Action<byte[]> send, Action<byte[]> receive)
    {
        var work = new FloorWork(Mode, Kind, Bytes);
        var ticks = new List<long>(Count);
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < Count; i++)
        {
            var before = watch.ElapsedTicks;
            send(work.Question);
            receive(work.Answer);
            ticks.Add(watch.ElapsedTicks - before);
        }

        if (Kind == TaskKind.Load && Array.Exists(work.Answer, static character => character == 0))
            throw new InvalidDataException("The other side answered with something else than a hash.");
        return Rounds.Of(Readings.OfRoundTrips(ticks, watch.Elapsed.TotalSeconds));
    }
}
