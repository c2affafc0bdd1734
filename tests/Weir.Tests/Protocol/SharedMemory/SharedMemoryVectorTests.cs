using System.Globalization;
using System.Text;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Protocol;

/// <summary>Pages in known states, with the bytes that stand in <c>tests/vectors/page</c>.</summary>
public sealed class PageVectorTests
{
    private static readonly string Folder = Path.Combine(AppContext.BaseDirectory, "vectors", "page");

    private static readonly (string Name, string Says, Action<PageMemory> Make)[] Samples =
    [
        ("fresh", "A page as the worker finds it: version 3; the host sleeps.", static page => page.Host.Format()),
        ("running", "Call 3 runs since 1122334455667788 ns; 2 calls have ended in 1500 ns together.", static page =>
        {
            var worker = new WorkerPage<PageAccess>(page.Address);
            Start(worker, 1, 3);
            worker.End(1000);
            worker.End(500);
            worker.NoteStart(3, 0x1122334455667788);
        }),
        ("unsent", "RESULT of call 1, raw \"hi\", added and not sent; before it 16 bytes were sent and taken. The host is woken.", static page =>
        {
            var (up, _) = PageAccess.OpenWorkerRings(page.Address);
            Start(new WorkerPage<PageAccess>(page.Address), 1, 1);
            up.TryAdd(new FrameHeader(FrameType.Started, FrameFlags.None, 1, 0), []);
            up.Send();
            PageAccess.OpenWaitWord(page.Address, PageLayout.HostSleeps).TryLower();
            page.Host.Take(new byte[100], out _);
            up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 2), "hi"u8);
        }),
        ("given", "CREDIT for call 1 is sent down, and the worker, which slept, is woken; it has not taken it.", static page =>
        {
            PageAccess.OpenWaitWord(page.Address, PageLayout.WorkerSleeps).Raise();
            page.Host.Send(Wire.Bytes(static frames => new CreditPayload(5).Write(frames, 1)), out _);
        }),
        ("recalled", "Call 2 is started, calls 3 to 5 are recalled.", static page =>
        {
            Start(new WorkerPage<PageAccess>(page.Address), 1, 2);
            page.Host.TryWithdraw(0, 5, out _);
        }),
        ("passed", "The same after the worker dropped calls 3 to 5: the recall is closed.", static page =>
        {
            var worker = new WorkerPage<PageAccess>(page.Address);
            Start(worker, 1, 2);
            page.Host.TryWithdraw(0, 5, out _);
            Start(worker, 3, 5);
        }),
    ];

    public static TheoryData<string> Names => [.. Samples.Select(static sample => sample.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_page_looks_as_its_golden_file_says(string name)
    {
        var (_, says, make) = Samples.Single(sample => sample.Name == name);
        using var page = new PageMemory();
        make(page);
        Assert.Equal(File.ReadAllText(Path.Combine(Folder, name + ".hex")), Text(says, page.Bytes));
    }

    [Fact]
    public void Every_golden_file_of_a_page_is_tested() =>
        Assert.Equal(Samples.Select(static sample => sample.Name).Order(), Directory.GetFiles(Folder).Select(Path.GetFileNameWithoutExtension).Order());

    private static void Start(WorkerPage<PageAccess> worker, ulong first, ulong last)
    {
        for (var id = first; id <= last; id++)
        {
            worker.TryStart(id);
        }
    }

    // What it is, then the lines of sixteen bytes that are not all 0, each behind its offset.
    private static string Text(string says, ReadOnlySpan<byte> page)
    {
        var text = new StringBuilder().Append("# ").Append(says).Append('\n');
        for (var at = 0; at < page.Length; at += 16)
        {
            var line = page.Slice(at, 16);
            if (line.ContainsAnyExcept((byte)0))
            {
                text.Append(CultureInfo.InvariantCulture, $"{at:x5}: {string.Join(' ', line.ToArray().Select(static b => b.ToString("x2", CultureInfo.InvariantCulture)))}\n");
            }
        }

        return text.ToString();
    }
}
