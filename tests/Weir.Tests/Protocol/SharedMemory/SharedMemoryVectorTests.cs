using System.Globalization;
using System.Text;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

/// <summary>Shared memory in known states, with the bytes that <c>tests/vectors/shared-memory</c> holds.</summary>
public sealed class SharedMemoryVectorTests
{
    private static readonly string Folder = Path.Combine(AppContext.BaseDirectory, "vectors", "shared-memory");

    private static readonly (string Name, string Says, Action<AllocatedRegion> Make)[] Samples =
    [
        ("fresh", "The shared memory as the worker finds it: version 3; the host sleeps.", static region => region.Host.Format()),
        ("running", "Call 3 runs since 1122334455667788 ns; 2 calls have ended in 1500 ns together.", static region =>
        {
            var worker = new WorkerSharedMemory<SharedMemoryAccess>(region.Address);
            Start(worker, 1, 3);
            worker.End(1000);
            worker.End(500);
            worker.NoteStart(3, 0x1122334455667788);
        }),
        ("unsent", "RESULT of call 1, raw \"hi\", added and not sent; before it 16 bytes were sent and taken. The host is woken.", static region =>
        {
            var (up, _) = SharedMemoryAccess.OpenWorkerRings(region.Address);
            Start(new WorkerSharedMemory<SharedMemoryAccess>(region.Address), 1, 1);
            up.TryAdd(new FrameHeader(FrameType.Started, FrameFlags.None, 1, 0), []);
            up.Send();
            new WaitWord<SharedMemoryAccess>(region.Address, SharedMemoryLayout.HostSleeps).TryLower();
            region.Host.Take(new byte[100], out _);
            up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 2), "hi"u8);
        }),
        ("given", "CREDIT for call 1 is sent down, and the worker, which slept, is woken; it has not taken it.", static region =>
        {
            new WaitWord<SharedMemoryAccess>(region.Address, SharedMemoryLayout.WorkerSleeps).Raise();
            region.Host.Send(Wire.Bytes(static frames => new CreditPayload(5).Write(frames, 1)), out _);
        }),
        ("withdrawn", "Call 2 is started, calls 3 to 5 are withdrawn.", static region =>
        {
            Start(new WorkerSharedMemory<SharedMemoryAccess>(region.Address), 1, 2);
            region.Host.TryWithdraw(0, 5, out _);
        }),
        ("passed", "The same after the worker dropped calls 3 to 5: the withdrawal is closed.", static region =>
        {
            var worker = new WorkerSharedMemory<SharedMemoryAccess>(region.Address);
            Start(worker, 1, 2);
            region.Host.TryWithdraw(0, 5, out _);
            Start(worker, 3, 5);
        }),
    ];

    public static TheoryData<string> Names => [.. Samples.Select(static sample => sample.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void The_shared_memory_has_the_bytes_of_its_golden_file(string name)
    {
        var (_, says, make) = Samples.Single(sample => sample.Name == name);
        using var region = new AllocatedRegion();
        make(region);
        Assert.Equal(File.ReadAllText(Path.Combine(Folder, name + ".hex")), Text(says, region.Bytes));
    }

    [Fact]
    public void Every_golden_file_of_the_shared_memory_is_tested() =>
        Assert.Equal(Samples.Select(static sample => sample.Name).Order(), Directory.GetFiles(Folder).Select(Path.GetFileNameWithoutExtension).Order());

    private static void Start(WorkerSharedMemory<SharedMemoryAccess> worker, ulong first, ulong last)
    {
        for (var id = first; id <= last; id++)
        {
            worker.TryStart(id);
        }
    }

    // A description, then the lines of sixteen bytes that are not all 0, each after its offset.
    private static string Text(string says, ReadOnlySpan<byte> region)
    {
        var text = new StringBuilder().Append("# ").Append(says).Append('\n');
        for (var at = 0; at < region.Length; at += 16)
        {
            var line = region.Slice(at, 16);
            if (line.ContainsAnyExcept((byte)0))
            {
                text.Append(CultureInfo.InvariantCulture, $"{at:x5}: {string.Join(' ', line.ToArray().Select(static b => b.ToString("x2", CultureInfo.InvariantCulture)))}\n");
            }
        }

        return text.ToString();
    }
}
