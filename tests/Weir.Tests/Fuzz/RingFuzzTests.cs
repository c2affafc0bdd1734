using System.Collections.Concurrent;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;
using Weir.Tests.Processes;
using Weir.Tests.Protocol;
using HostChannel = Weir.Execution.Processes.Linux.Launch.RingChannel;
using WorkerRings = Weir.Worker.Channels.WorkerRingChannel;

namespace Weir.Tests.Fuzz;

/// <summary>
/// Damaged frames that come through shared memory whose words are overwritten: the reader takes the bytes of the ring that the words mean,
/// or reports that the shared memory is impossible; nothing else is thrown, no thread hangs, and no memory outside is touched.
/// </summary>
public sealed class RingFuzzTests
{
    private const int Lanes = 2;
    private const int RegionsPerLane = 6_000;

    private static readonly byte[][] Up = SamplesOf(FrameRoute.DataUp);
    private static readonly byte[][] Down = SamplesOf(FrameRoute.DataDown);
    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];

    // How often each event happened.
    private readonly ConcurrentDictionary<string, int> _seen = new();
    private int _mutated;

    [Fact]
    public void Whatever_a_worker_writes_to_shared_memory_the_host_takes_what_the_protocol_defines_or_names_the_violation()
    {
        ForManyRegions(CheckWorker);
        AssertSeen("frame", "broken frame", "impossible", "salvage Nothing", "salvage Taken", "salvage Hostile", "sent", "withdrawn");
    }

    [Fact]
    public void Whatever_a_worker_writes_to_shared_memory_between_two_reads_of_the_host_each_word_is_read_once_and_within_bounds()
    {
        ForManyRegions(CheckRestlessWorker);
        AssertSeen("frame", "broken frame", "impossible", "salvage Nothing", "salvage Taken", "salvage Hostile", "sent", "withdrawn");
    }

    [Fact]
    public void Whatever_a_host_writes_to_shared_memory_its_worker_takes_what_the_protocol_defines_or_names_the_violation()
    {
        ForManyRegions(CheckHost);
        AssertSeen("frame", "broken frame", "impossible", "added", "not added", "dropped");
    }

    private void ForManyRegions(Action<AllocatedRegion, Random> hear)
    {
        Parallel.For(0, Lanes, new ParallelOptions { MaxDegreeOfParallelism = Lanes }, lane =>
        {
            using var memory = new AllocatedRegion();
            for (var i = 0; i < RegionsPerLane; i++)
            {
                var seed = (lane * 1_000_003) + i;
                memory.Bytes[..SharedMemoryLayout.UpBuffer].Clear();
                try
                {
                    hear(memory, new Random(seed));
                }
                catch (Exception failure)
                {
                    Assert.Fail($"seed {seed}: {failure}");
                }
            }
        });
        TestContext.Current.TestOutputHelper?.WriteLine($"{_mutated} mutated frames; {string.Join(", ", _seen)}");
        Assert.InRange(_mutated, 2 * Lanes * RegionsPerLane, int.MaxValue);
    }

    private void CheckWorker(AllocatedRegion memory, Random random)
    {
        using var region = new BorrowedRegion(memory.Address);
        using var socket = new WakingChannel(random.Next(4));
        using var channel = new HostChannel(socket);
        channel.Share(region, static () => { }, static _ => { });
        using var frames = new FrameReader(FrameRoute.DataUp, 64 << 10);
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(memory.Address);
        var mutator = new FrameMutator(random, Spares);
        var scribbler = new Scribbler(random, memory);
        var model = new RingModel(memory, SharedMemoryLayout.Up);

        // 1. While the worker runs.
        var isRead = true;
        for (var steps = random.Next(4, 12); steps > 0; steps--)
        {
            switch (random.Next(8))
            {
                case < 4:
                    Believing(() => up.Add(Broken(mutator, random, Up)));
                    if (random.Next(4) != 0)
                    {
                        up.Send();
                    }

                    break;
                case 4:
                    scribbler.Scribble();
                    break;
                case 5:
                    var bytes = new byte[random.Next(4) == 0 ? 2 * SharedMemoryLayout.RingSize : 100];
                    var sent = channel.TrySend(bytes);
                    See(sent > 0 ? "sent" : "not sent");
                    Assert.InRange(sent, -1, bytes.Length);
                    break;
                default:
                    Ask(region, random);
                    break;
            }

            isRead = isRead && (random.Next(2) == 0 || Read(channel.TryReceive, frames, model.Take(BufferOf(random)), nothing: -1));
        }

        // 2. What it sent before it exited. 3. What it had not sent.
        channel.End();
        while (isRead && model.Take(BufferOf(random)) is var foreseen)
        {
            isRead = Read(channel.Receive, frames, foreseen, nothing: 0);
            if (foreseen is null or [])
            {
                break;
            }
        }

        if (isRead)
        {
            See($"salvage {region.Salvage(frames)}");
            ReadFrames(frames);
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    private void CheckRestlessWorker(AllocatedRegion memory, Random random)
    {
        var scribbler = new Scribbler(random, memory);
        var isRestless = false;
        var host = new HostSharedMemory<SteppedAccess>(memory.Address, new SteppedAccess(() =>
        {
            if (isRestless && random.Next(8) == 0)
            {
                scribbler.Scribble();
            }
        }));
        host.Format();
        using var frames = new FrameReader(FrameRoute.DataUp, 64 << 10);
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(memory.Address);
        var mutator = new FrameMutator(random, Spares);
        for (var steps = random.Next(4, 12); steps > 0; steps--)
        {
            Believing(() => up.Add(Broken(mutator, random, Up)));
            up.Send();
            isRestless = true;
            var space = new byte[BufferOf(random)];
            switch (random.Next(6))
            {
                case < 3:
                    if (Believing(() => host.Take(space, out _)) is { } taken)
                    {
                        Assert.InRange(taken, 0, space.Length);
                        frames.Append(space.AsSpan(0, taken));
                        ReadFrames(frames);
                    }

                    break;
                case 3:
                    var sent = Believing(() => host.Send(space, out _));
                    See(sent > 0 ? "sent" : "not sent");
                    Assert.InRange(sent ?? 0, 0, space.Length);
                    break;
                case 4:
                    host.TrySleep();
                    host.TryWaitForSpace();
                    _ = host.HasSpace;
                    break;
                default:
                    var atLeast = (ulong)random.NextInt64();
                    var last = atLeast + (ulong)random.Next(10);
                    Assert.InRange(host.StartedThrough(atLeast, last), atLeast, last);
                    memory.Field(SharedMemoryLayout.Claim) = random.Next(2) == 0 ? (uint)(atLeast + (ulong)random.Next(3)) : memory.Field(SharedMemoryLayout.Claim);
                    CheckWithdrawal(host.TryWithdraw(atLeast, last, out var first), atLeast, first, last);
                    host.StartOf(last);
                    host.ReadTotals();
                    break;
            }

            isRestless = false;
        }

        var unread = frames.Unread;
        isRestless = random.Next(2) == 0;
        See($"salvage {host.Salvage(frames)}");
        Assert.InRange(frames.Unread, unread, unread + SharedMemoryLayout.RingSize);
        ReadFrames(frames);
        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    private void CheckHost(AllocatedRegion memory, Random random)
    {
        var host = SharedMemoryAccess.OpenHost(memory.Address);
        host.Format();
        var channel = new WorkerRings(new WakingChannel(random.Next(10)));
        var up = channel.Share(memory.Address);
        var region = SharedMemoryAccess.OpenWorker(memory.Address);
        using var frames = new FrameReader(FrameRoute.DataDown, 64 << 10);
        var mutator = new FrameMutator(random, Spares);
        var scribbler = new Scribbler(random, memory);
        var model = new RingModel(memory, SharedMemoryLayout.Down);
        var isRead = true;
        for (var (steps, call) = (random.Next(4, 12), 0UL); steps > 0; steps--)
        {
            switch (random.Next(8))
            {
                case < 4:
                    Believing(() => host.Send(Broken(mutator, random, Down), out _));
                    break;
                case 4:
                    scribbler.Scribble();
                    break;
                case 5:
                    var bytes = new byte[random.Next(4) == 0 ? 2 * SharedMemoryLayout.RingSize : 20_000];
                    var added = Believing(() => up.Add(bytes));
                    See(added is null ? "not added" : "added");
                    Assert.InRange(added ?? 0, 0, bytes.Length);
                    up.Send();
                    channel.WakeHost();
                    break;
                case 6:
                    See(region.TryStart(++call) ? "started" : "dropped");
                    region.NoteStart(call, 1);
                    region.End(1);
                    break;
                default:
                    host.TryWithdraw(call, call + (ulong)random.Next(4), out _);
                    _ = region.IsKnown;
                    _ = channel.HasMore;
                    break;
            }

            isRead = isRead && (random.Next(2) == 0 || Read(channel.Receive, frames, model.Take(BufferOf(random)), nothing: 0));
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    // What a host reads from shared memory besides the bytes of the rings.
    private void Ask(SharedMemoryRegion region, Random random)
    {
        var atLeast = (ulong)random.Next(3);
        var last = atLeast + (ulong)random.Next(10);
        Assert.InRange(region.StartedThrough(atLeast, last), atLeast, last);
        CheckWithdrawal(region.TryWithdraw(atLeast, last, out var first), atLeast, first, last);
        region.StartOf(last);
        region.ReadTotals();
        region.HasSpace();
        region.TryWaitForSpace();
    }

    private void CheckWithdrawal(bool isWithdrawn, ulong atLeast, ulong first, ulong last)
    {
        if (isWithdrawn)
        {
            See("withdrawn");
            Assert.InRange(first, atLeast + 1, last);
        }
    }

    // False when reading has ended.
    private bool Read(Reading read, FrameReader frames, byte[]? foreseen, int nothing)
    {
        // No more space than was given to the model; any space if the model had no bytes.
        var space = new byte[foreseen is null or [] ? 100 : foreseen.Length];
        int count;
        try
        {
            count = read(space);
        }
        catch (FrameException violation)
        {
            Assert.Equal(FrameError.ImpossibleSharedMemory, violation.Error);
            Assert.Null(foreseen);
            See("impossible");
            return false;
        }

        Assert.NotNull(foreseen);
        Assert.Equal(foreseen.Length == 0 ? nothing : foreseen.Length, count);
        if (count > 0)
        {
            Assert.True(foreseen.AsSpan().SequenceEqual(space), "Other bytes than the words mean.");
            frames.Append(space);
        }

        return ReadFrames(frames);
    }

    // False when the channel is lost.
    private bool ReadFrames(FrameReader frames)
    {
        try
        {
            while (frames.TryRead(out var frame))
            {
                See("frame");
                Wire.Interpret(frame);
            }

            return true;
        }
        catch (FrameException)
        {
            See("broken frame");
            return false;
        }
    }

    // Null if the content of the shared memory is rejected.
    private int? Believing(Func<int> touch)
    {
        try
        {
            return touch();
        }
        catch (FrameException violation)
        {
            Assert.Equal(FrameError.ImpossibleSharedMemory, violation.Error);
            See("impossible");
            return null;
        }
    }

    private void See(string what) => _seen.AddOrUpdate(what, 1, static (_, count) => count + 1);

    private void AssertSeen(params string[] all) => Assert.All(all, what => Assert.True(_seen.GetValueOrDefault(what) > 20, $"{what}: {string.Join(", ", _seen)}"));

    private static byte[] Broken(FrameMutator mutator, Random random, byte[][] samples) =>
        mutator.Stream([.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => samples[random.Next(samples.Length)])]);

    private static int BufferOf(Random random) => random.Next(4) == 0 ? 100_000 : random.Next(1, 300);

    private static byte[][] SamplesOf(FrameRoute route) =>
        [.. Samples.All.Select(static sample => sample.Bytes()).Where(bytes => (FrameRules.Of((FrameType)bytes[4]).Routes & route) != 0)];

    private delegate int Reading(Span<byte> space);
}
