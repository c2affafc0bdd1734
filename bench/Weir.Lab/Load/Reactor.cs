using System.Net;
using System.Runtime.InteropServices;
using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>Many connections on one thread: the least a load generator can cost beside the server it measures.</summary>
internal sealed unsafe class Reactor : IDisposable
{
    private const int TimerData = -1;
    private const int MostEvents = 512;
    private const int BufferLength = 256 * 1024;
    private const int PatienceMilliseconds = 100;
    private const int UrgentNiceness = -15;

    private readonly int _epoll = Epoll.Create(0);
    private readonly int _timer = Epoll.CreateTimer(Epoll.Monotonic, Epoll.NonBlocking);
    private readonly byte* _events = (byte*)NativeMemory.Alloc((nuint)(MostEvents * Epoll.EventSize));
    private readonly byte* _buffer = (byte*)NativeMemory.Alloc(BufferLength);
    private readonly LoadConnection[] _connections;
    private long _armedFor = long.MaxValue;

    /// <summary>Whether its thread goes before others, where the lab is allowed that: as a caller's own machine would.</summary>
    public bool IsUrgent { get; init; }

    /// <summary>Opens the connections, one after the other.</summary>
    public Reactor(IPEndPoint server, int connections)
    {
        Epoll.Watch(_epoll, Epoll.Add, _timer, Epoll.In, TimerData);
        _connections = new LoadConnection[connections];
        for (var i = 0; i < connections; i++)
            _connections[i] = LoadConnection.Open(server, _epoll, i);
    }

    /// <summary>Runs a model on a thread of its own until it is done.</summary>
    public Task RunAsync(ILoadModel model, CancellationToken cancellation) =>
        Task.Factory.StartNew(() => Run(model, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public void Dispose()
    {
        foreach (var connection in _connections)
            connection?.Dispose();
        _ = Epoll.Close(_timer);
        _ = Epoll.Close(_epoll);
        NativeMemory.Free(_events);
        NativeMemory.Free(_buffer);
    }

    private void Run(ILoadModel model, CancellationToken cancellation)
    {
        // Of this thread, which ends with the run; without the right to it nothing changes.
        if (IsUrgent)
            _ = Epoll.SetPriority(0, 0, UrgentNiceness);
        model.Begin(_connections, Clock.Now);
        foreach (var connection in _connections)
            connection.Flush();

        while (!model.IsDone)
        {
            cancellation.ThrowIfCancellationRequested();
            Arm(model.NextDue);
            var count = Epoll.Wait(_epoll, _events, MostEvents, PatienceMilliseconds);
            for (var i = 0; i < count; i++)
            {
                var data = Epoll.DataOf(_events, i);
                if (data == TimerData)
                    Disarm();
                else
                    Serve(_connections[data], model);
            }

            model.Tick(Clock.Now);
        }
    }

    private void Serve(LoadConnection connection, ILoadModel model)
    {
        var bytes = new ReadOnlySpan<byte>(_buffer, connection.Receive(_buffer, BufferLength));
        var now = Clock.Now;
        while (!bytes.IsEmpty && connection.TryEnd(ref bytes, out var start, out var status))
            model.Ended(connection, start, status, now);

        if (connection.IsBroken)
        {
            // Closing takes it out of the epoll set.
            model.Broke(connection, now);
            connection.Dispose();
            return;
        }

        connection.Flush();
    }

    private void Arm(long due)
    {
        if (due == _armedFor || due == long.MaxValue)
            return;

        _armedFor = due;
        var wait = Math.Max(1, (long)(Clock.MillisecondsBetween(Clock.Now, due) * 1_000_000));
        var setting = new Epoll.TimerSetting { FirstSeconds = wait / 1_000_000_000, FirstNanoseconds = wait % 1_000_000_000 };
        _ = Epoll.SetTimer(_timer, 0, &setting, null);
    }

    private void Disarm()
    {
        long expirations;
        _ = Epoll.Read(_timer, (byte*)&expirations, sizeof(long));
        _armedFor = long.MaxValue;
    }
}
