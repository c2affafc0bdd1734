using System.Net;
using System.Runtime.InteropServices;
using Weir.Load.Measuring;

namespace Weir.Load.Raw;

/// <summary>Many connections on one thread: the least a load generator can cost beside the server it measures. Linux only.</summary>
internal sealed unsafe class Reactor : IDisposable
{
    private const int TimerData = -1;
    private const int MostEvents = 512;
    private const int BufferLength = 256 * 1024;
    private const int PatienceMilliseconds = 100;
    private const int RestMilliseconds = 10;
    private const int UrgentNiceness = -15;
    private const int FirstInFirstOut = 1; // SCHED_FIFO

    private readonly ReactorOptions _options;
    private readonly long _timeout;
    private readonly int _epoll = Epoll.Create(0);
    private readonly int _timer = Epoll.CreateTimer(Epoll.Monotonic, Epoll.NonBlocking);
    private readonly byte* _events = (byte*)NativeMemory.Alloc((nuint)(MostEvents * Epoll.EventSize));
    private readonly byte* _buffer = (byte*)NativeMemory.Alloc(BufferLength);
    private readonly LoadConnection[] _connections;
    private long _armedFor = long.MaxValue;
    private long _nextSweep;

    // Connections that failed to open, and are not used for a moment.
    private int _resting;
    private long _wakeUps;

    /// <summary>Opens the connections, all at once; waits until each is open or has failed.</summary>
    public Reactor(IPEndPoint server, int connections, ReactorOptions? options = null, CancellationToken cancellation = default)
    {
        _options = options ?? new ReactorOptions();
        _timeout = _options.Timeout == TimeSpan.MaxValue ? long.MaxValue : Stamp.Ticks(_options.Timeout);
        Epoll.Watch(_epoll, Epoll.Add, _timer, Epoll.In, TimerData);
        _connections = new LoadConnection[connections];
        for (var i = 0; i < connections; i++)
        {
            _connections[i] = new LoadConnection(server, _epoll, i, _options.IsHead);
            _connections[i].Open();
        }

        try
        {
            WaitForConnections(cancellation);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>How often its thread has looked for what is ready. Any thread.</summary>
    public long WakeUps => Volatile.Read(ref _wakeUps);

    /// <summary>Runs a model on a thread of its own until it is done.</summary>
    /// <param name="model">What is sent.</param>
    /// <param name="cancellation">Ends it with an exception; noticed up to 100 ms late.</param>
    /// <param name="stopping">Stops the model; noticed up to 100 ms late.</param>
    public Task RunAsync(ILoadModel model, CancellationToken cancellation, CancellationToken stopping = default) =>
        Task.Factory.StartNew(() => Run(model, cancellation, stopping), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public void Dispose()
    {
        foreach (var connection in _connections)
        {
            connection?.Dispose();
        }

        _ = Epoll.Close(_timer);
        _ = Epoll.Close(_epoll);
        NativeMemory.Free(_events);
        NativeMemory.Free(_buffer);
    }

    // A connection that failed is closed; its first request opens it again, and reports what happens then.
    private void WaitForConnections(CancellationToken cancellation)
    {
        var begin = Stamp.Now;
        while (Array.Exists(_connections, static connection => connection.IsConnecting))
        {
            cancellation.ThrowIfCancellationRequested();
            var count = Epoll.Wait(_epoll, _events, MostEvents, PatienceMilliseconds);
            for (var i = 0; i < count; i++)
            {
                var connection = _connections[Epoll.DataOf(_events, i)];
                connection.EndConnect();
                connection.WatchIn();
            }

            if (Stamp.Now - begin > _timeout)
            {
                break;
            }
        }

        foreach (var connection in _connections)
        {
            if (connection.IsConnecting || connection.Failure is not null)
            {
                connection.Reset();
            }
        }
    }

    private void Run(ILoadModel model, CancellationToken cancellation, CancellationToken stopping)
    {
        // Of this thread, which ends with the run; without the right to it nothing changes.
        if (_options.IsUrgent)
        {
            // A niceness alone does not help where a thousand threads of the server are ready: measured, up to 48 ms late.
            if (Epoll.SetScheduler(0, FirstInFirstOut, 1) != 0)
            {
                _ = Epoll.SetPriority(0, 0, UrgentNiceness);
            }
        }

        // What another load left in flight is not this one's.
        foreach (var connection in _connections)
        {
            if (connection.InFlight > 0)
            {
                connection.Reset();
            }
        }

        var begin = Stamp.Now;
        model.Begin(_connections, begin);
        foreach (var connection in _connections)
        {
            Flush(connection, model, begin);
        }

        while (!model.IsDone)
        {
            cancellation.ThrowIfCancellationRequested();
            Volatile.Write(ref _wakeUps, _wakeUps + 1);
            Arm(model.NextDue);
            var count = Epoll.Wait(_epoll, _events, MostEvents, _resting > 0 ? RestMilliseconds : PatienceMilliseconds);
            for (var i = 0; i < count; i++)
            {
                var data = Epoll.DataOf(_events, i);
                if (data == TimerData)
                {
                    Disarm();
                }
                else
                {
                    Serve(_connections[data], model);
                }
            }

            var now = Stamp.Now;
            Sweep(model, now);
            model.Tick(now);
            if (stopping.IsCancellationRequested && !model.IsDone)
            {
                model.Stop(now);
            }
        }
    }

    private void Serve(LoadConnection connection, ILoadModel model)
    {
        // Closed by an event before this one.
        if (!connection.HasSocket)
        {
            return;
        }

        if (connection.IsConnecting)
        {
            connection.EndConnect();
            Flush(connection, model, Stamp.Now);
            return;
        }

        var bytes = new ReadOnlySpan<byte>(_buffer, connection.Receive(_buffer, BufferLength));
        var now = Stamp.Now;
        if (!bytes.IsEmpty)
        {
            Read(connection, bytes, model, now);
        }

        Flush(connection, model, now);
    }

    // Takes responses out of received bytes. Ends early when the connection was closed.
    private void Read(LoadConnection connection, ReadOnlySpan<byte> bytes, ILoadModel model, long now)
    {
        if (connection.InFlight == 0)
        {
            // Bytes that no request asked for.
            connection.Reset();
            return;
        }

        var isCounted = model.Counts(connection.Oldest, now);
        model.Result.Bytes += isCounted ? bytes.Length : 0;
        if (_options.IsStream && isCounted && connection.LastBytes == 0)
        {
            model.Result.FirstByte.Record(Stamp.Nanoseconds(connection.Oldest.Sent, now));
        }

        connection.LastBytes = now;
        while (true)
        {
            switch (connection.Scanner.Read(ref bytes, out var body))
            {
                case ResponseEvent.None:
                    return;

                case ResponseEvent.Head when _options.IsStream:
                    connection.Counter = new ItemCounter(connection.Scanner.Format);
                    break;

                case ResponseEvent.Body when _options.IsStream:
                    if (!Count(connection, body, model, now))
                    {
                        End(connection, model, now, closes: true);
                        return;
                    }

                    break;

                case ResponseEvent.End when connection.InFlight == 1 && !bytes.IsEmpty:
                    // Bytes behind the answer to the last request: it was another length than its header says, and what follows is no answer to the next request.
                    Fail(connection, ErrorKinds.Invalid, model, now);
                    return;

                case ResponseEvent.End:
                    CountLast(connection, model, now);
                    End(connection, model, now, connection.Scanner.Closes);
                    if (connection.InFlight == 0 || !connection.HasSocket)
                    {
                        return;
                    }

                    break;

                case ResponseEvent.Invalid:
                    Fail(connection, ErrorKinds.Invalid, model, now);
                    return;
            }
        }
    }

    // Whether the stream is to be read on.
    private bool Count(LoadConnection connection, ReadOnlySpan<byte> body, ILoadModel model, long now)
    {
        var counter = connection.Counter;
        var items = counter.Feed(body);
        connection.Counter = counter;
        Arrived(connection, items, model, now);
        return connection.Items < _options.AbortAfter;
    }

    private void CountLast(LoadConnection connection, ILoadModel model, long now)
    {
        if (_options.IsStream)
        {
            Arrived(connection, connection.Counter.End(), model, now);
        }
    }

    private void Arrived(LoadConnection connection, int items, ILoadModel model, long now)
    {
        items = (int)Math.Min(items, _options.AbortAfter - connection.Items);
        if (items <= 0)
        {
            return;
        }

        if (model.Counts(connection.Oldest, now))
        {
            model.Result.Arrived(items, connection.LastItems, now);
        }

        connection.Items += items;
        connection.LastItems = now;
    }

    private static void End(LoadConnection connection, ILoadModel model, long now, bool closes)
    {
        var status = connection.Scanner.Status;
        var exchange = connection.End();
        if (closes)
        {
            // Requests behind the last response of a connection have no answer.
            FailAll(connection, ErrorKinds.Closed, model, now);
            connection.Reset();
        }

        model.Ended(exchange, status, now);
        model.Ready(connection, now);
    }

    // Sends what was appended; a connection that failed is closed, and its requests with it.
    private void Flush(LoadConnection connection, ILoadModel model, long now)
    {
        connection.Flush();
        while (connection.Failure is { } failure)
        {
            if (failure == ErrorKinds.Closed && connection is { InFlight: 1, Scanner.EndsWithConnection: true })
            {
                CountLast(connection, model, now);
                End(connection, model, now, closes: true);
            }
            else
            {
                Fail(connection, failure, model, now);
            }

            connection.Flush();
        }
    }

    private void Fail(LoadConnection connection, string kind, ILoadModel model, long now)
    {
        var rests = connection.FailedToOpen;
        FailAll(connection, kind, model, now);
        connection.Reset();
        if (rests)
        {
            connection.RestsUntil = now + Stamp.Ticks(RestMilliseconds / 1_000.0);
            _resting++;
        }
        else
        {
            model.Ready(connection, now);
        }
    }

    private static void FailAll(LoadConnection connection, string kind, ILoadModel model, long now)
    {
        while (connection.InFlight > 0)
        {
            model.Failed(connection.End(), kind, now);
        }
    }

    // Timeouts, and connections that have rested.
    private void Sweep(ILoadModel model, long now)
    {
        if (now < _nextSweep || (_timeout == long.MaxValue && _resting == 0))
        {
            return;
        }

        _nextSweep = now + Stamp.Ticks(RestMilliseconds / 1_000.0);
        foreach (var connection in _connections)
        {
            if (connection.RestsUntil != 0 && now >= connection.RestsUntil)
            {
                connection.RestsUntil = 0;
                _resting--;
                model.Ready(connection, now);
                Flush(connection, model, now);
            }
            else if (connection.InFlight > 0 && now - Since(connection) > _timeout)
            {
                Fail(connection, ErrorKinds.TimedOut, model, now);
                Flush(connection, model, now);
            }
        }
    }

    private long Since(LoadConnection connection) =>
        _options.IsStream && connection.LastBytes != 0 ? connection.LastBytes : connection.Oldest.Sent;

    private void Arm(long due)
    {
        if (due == _armedFor || due == long.MaxValue)
        {
            return;
        }

        _armedFor = due;
        var wait = Math.Max(1, Stamp.Nanoseconds(Stamp.Now, due));
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
