using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Threading;

namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>
/// The one thread of this process that waits for events of all workers: that they exit, what they print, their control channels,
/// and space for writes that did not fit. It sleeps in epoll_wait; without an event it costs nothing.
/// </summary>
/// <remarks>Lives as long as the process; it does not own the descriptors that it watches. Everything but <see cref="Post"/> belongs to its thread.</remarks>
internal sealed unsafe class EpollLoop
{
    private const int BatchSize = 64;
    private const ulong WakeId = 0;

    private static readonly RetryingLazy<EpollLoop> Instance = new(() => new EpollLoop(TimeProvider.System));

    private readonly TimeProvider _time;
    private readonly Descriptor _epoll;
    private readonly Descriptor _wake;

    // Unbounded, but each worker causes only a few requests in its life, and pools limit their workers.
    private readonly ConcurrentQueue<(Action Run, Action<Exception> Failed)> _posted = new();
    private readonly PriorityQueue<EpollRegistration, long> _paused = new();
    private readonly Dictionary<ulong, EpollRegistration> _watches = [];
    private ulong _lastId = WakeId;
    private int _wakeSent;

    private EpollLoop(TimeProvider time)
    {
        _time = time;
        using var made = new DescriptorGroup();
        made.Add(_epoll = Checked(EpollCalls.Create(EpollCalls.CloseOnExec), "epoll_create1"));
        made.Add(_wake = Checked(EpollCalls.CreateEvent(0, EpollCalls.EventCloseOnExecNonBlocking), "eventfd"));
        Control(EpollCalls.Add, _wake, Readiness.Readable, WakeId);
        Callbacks.CreateThread("Weir epoll loop", this, static loop => loop.Run(), static (_, failure) => FailFast(failure.ToString())).UnsafeStart();
        made.Release();
    }

    /// <summary>The one of this process; started by the first use.</summary>
    public static EpollLoop Shared => Instance.Value;

    /// <summary>The epoll loop's clock, in <see cref="TicksPerSecond"/>.</summary>
    public long Now => _time.GetTimestamp();

    public long TicksPerSecond => _time.TimestampFrequency;

    /// <summary>Runs an action on the epoll loop's thread, soon. It must not block and must not run user code.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="failed">Handles what it throws, on the same thread.</param>
    public void Post(Action action, Action<Exception> failed)
    {
        _posted.Enqueue((action, failed));
        if (Interlocked.Exchange(ref _wakeSent, 1) == 0)
        {
            ulong one = 1;
            _ = DescriptorCalls.Write(_wake.Number, (byte*)&one, sizeof(ulong));
        }
    }

    /// <summary>Calls the watcher on this thread while the descriptor is ready. The descriptor stays open until the registration is removed.</summary>
    public EpollRegistration Add(Descriptor descriptor, Readiness interest, IReadyHandler watcher)
    {
        var watch = new EpollRegistration(this, ++_lastId, descriptor, watcher);
        _watches.Add(watch.Id, watch);
        try
        {
            watch.Change(interest);
            return watch;
        }
        catch
        {
            watch.Remove();
            throw;
        }
    }

    internal void Forget(EpollRegistration watch) => _watches.Remove(watch.Id);

    internal void ResumeAfter(long ticks, EpollRegistration watch) => _paused.Enqueue(watch, Now + ticks);

    internal void Control(int operation, Descriptor descriptor, Readiness interest, ulong id)
    {
        var change = stackalloc byte[16];
        MemoryMarshal.Write(new Span<byte>(change, 4), (uint)interest);
        MemoryMarshal.Write(new Span<byte>(change + EpollCalls.DataOffset, 8), id);
        if (EpollCalls.Control(_epoll.Number, operation, descriptor.Number, change) != 0 && operation != EpollCalls.Remove)
        {
            // A removal that fails has nothing to remove; the kernel does the same when the descriptor is closed.
            throw new InvalidOperationException($"epoll_ctl({operation}) failed with {Errno.Describe(Errno.Last)}.");
        }
    }

    private void Run()
    {
        var events = stackalloc byte[BatchSize * 16];
        while (true)
        {
            // 1. Run what other threads posted, and resume registrations whose pause is over.
            RunPosted();
            Resume();

            // 2. Wait. Signals of any kind (SIGCHLD of other children) interrupt it.
            var count = EpollCalls.Wait(_epoll.Number, events, BatchSize, Timeout());
            if (count < 0 && Errno.Last != Errno.Interrupted)
            {
                FailFast($"epoll_wait failed with {Errno.Describe(Errno.Last)}");
            }

            // 3. Serve. An id is never used twice, so an event of a registration that was removed in this batch is ignored.
            for (var i = 0; i < count; i++)
            {
                var entry = new ReadOnlySpan<byte>(events + (i * EpollCalls.EventSize), EpollCalls.EventSize);
                var id = MemoryMarshal.Read<ulong>(entry[EpollCalls.DataOffset..]);
                if (id == WakeId)
                {
                    ulong ignored;
                    _ = DescriptorCalls.Read(_wake.Number, (byte*)&ignored, sizeof(ulong));
                }
                else if (_watches.TryGetValue(id, out var watch))
                {
                    Serve(watch, (Readiness)MemoryMarshal.Read<uint>(entry));
                }
            }
        }
    }

    // A failure while serving one worker must not affect the others: only that worker ends.
    private static void Serve(EpollRegistration watch, Readiness ready) =>
        Callbacks.Run((watch, ready), static one => one.watch.Watcher.OnReady(one.ready), static (one, failure) => Fail(one.watch, failure));

    private static void Fail(EpollRegistration watch, Exception failure)
    {
        watch.Remove();
        watch.Watcher.OnFailure(failure);
    }

    // A failure of the loop itself cannot be handled: without it no exit of a worker is seen, and every call of a worker that dies would hang.
    private static void FailFast(string why) => Environment.FailFast($"{why}: exits of worker processes cannot be detected any more.");

    private void RunPosted()
    {
        // Cleared before the queue is read: a thread that enqueues after the last look finds it cleared and wakes the loop again.
        Volatile.Write(ref _wakeSent, 0);
        Interlocked.MemoryBarrier();
        while (_posted.TryDequeue(out var posted))
        {
            Callbacks.Run(posted, static posted => posted.Run(), static (posted, failure) => posted.Failed(failure));
        }
    }

    private void Resume()
    {
        while (_paused.TryPeek(out var watch, out var due) && due <= Now)
        {
            _paused.Dequeue();
            Callbacks.Run(watch, static watch => watch.Resume(), Fail);
        }
    }

    // Rounded up: after an early wake-up the loop would spin until the time is reached.
    private int Timeout() =>
        _paused.TryPeek(out _, out var due) ? (int)Math.Clamp(((due - Now) * 1000 / TicksPerSecond) + 1, 0, 60_000) : -1;

    private static Descriptor Checked(int number, string call) =>
        number >= 0 ? new Descriptor(number) : throw DescriptorSetup.Failed(call, Errno.Last);
}
