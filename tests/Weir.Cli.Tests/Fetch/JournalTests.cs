using System.Diagnostics;
using System.Text;
using Weir.Cli.Fetch;
using Weir.Cli.Terminal;

namespace Weir.Cli.Tests.Fetch;

/// <summary>Journals that a person, a crash or a file system left.</summary>
public sealed class JournalTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(4_096)]
    [InlineData(9_000)]
    [InlineData(200_000)]
    public void A_journal_that_ends_in_zeros_keeps_every_line_before_them(int zeros)
    {
        var path = _folder.Of("j");
        using (var journal = Journal.Open("j", path))
        {
            for (var i = 0; i < 5_000; i++)
            {
                journal.Add(i, $"http://host/{i}");
            }
        }

        var length = new FileInfo(path).Length;
        File.AppendAllText(path, "5000 00ab" + new string('\0', zeros));
        using (var journal = Journal.Open("j", path))
        {
            Assert.Equal(5_000, journal.Found);
            Assert.True(journal.Contains(Address.Parse(4_999, "http://host/4999")));
            Assert.False(journal.Contains(Address.Parse(5_000, "http://host/5000")));
        }

        Assert.Equal(length, new FileInfo(path).Length);
    }

    [Fact]
    public void A_journal_that_is_refused_is_not_changed()
    {
        var path = _folder.Write("j", $"weir-journal 1\n0 {1:x16}\n{new string('x', 10_000)}");
        var before = File.ReadAllText(path);
        Assert.Throws<InputException>(() => Journal.Open("j", path));
        Assert.Throws<InputException>(() => Journal.Open("j", path));
        Assert.Equal(before, File.ReadAllText(path));
    }

    [Fact]
    public void Positions_far_apart_take_memory_in_the_order_of_the_file()
    {
        const int Lines = 100_000;
        var text = new StringBuilder("weir-journal 1\n");
        for (var i = 0L; i < Lines; i++)
        {
            text.Append(System.Globalization.CultureInfo.InvariantCulture, $"{i * 1_000_003} {i + 1:x16}\n");
        }

        var path = _folder.Write("j", text.ToString());
        // Of this thread: other tests allocate at the same time.
        var before = GC.GetAllocatedBytesForCurrentThread();
        using var journal = Journal.Open("j", path);
        Assert.Equal(Lines, journal.Found);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 400L * Lines);
    }

    [Fact]
    public async Task A_pipe_a_device_and_a_socket_are_no_journal()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Special files are those of Linux.");
        using (var mkfifo = Process.Start("mkfifo", _folder.Of("pipe")))
        {
            await mkfifo.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        using var socket = new System.Net.Sockets.Socket(System.Net.Sockets.AddressFamily.Unix, System.Net.Sockets.SocketType.Stream, System.Net.Sockets.ProtocolType.Unspecified);
        socket.Bind(new System.Net.Sockets.UnixDomainSocketEndPoint(_folder.Of("socket")));
        File.CreateSymbolicLink(_folder.Of("link"), _folder.Of("pipe"));
        foreach (var (name, kind) in new[] { ("pipe", "a pipe"), ("link", "a pipe"), ("/dev/null", "a device"), ("/dev/zero", "a device"), ("socket", "a socket"), (".", "a folder") })
        {
            var cli = new CliProcess { Folder = _folder.Path };
            Assert.Equal(2, await cli.RunAsync("fetch", "http://127.0.0.1:1/", "--resume", name));
            Assert.Equal($"weir: --resume '{name}' cannot be used: it is {kind}; name a file, or one that does not exist.\n", cli.Error);
        }
    }

    [Fact]
    public async Task A_command_that_waits_for_a_pipe_ends_at_SIGTERM()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Pipes are those of Linux.");
        using (var mkfifo = Process.Start("mkfifo", _folder.Of("pipe")))
        {
            await mkfifo.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        await using var weir = WeirProcess.StartRedirected("", "load", "http://127.0.0.1:1/", "--body", _folder.Of("pipe"));
        await weir.UntilRunningAsync();
        weir.Terminate();
        Assert.Contains(await weir.EndAsync(), (int[])[130, 143]);
    }

    [Fact]
    public async Task A_closed_standard_input_is_named()
    {
        foreach (var words in new[] { new[] { "fetch", "--input", "-" }, ["load", "http://127.0.0.1:1/", "--body", "-"] })
        {
            await using var weir = WeirProcess.StartRedirected("<&-", words);
            var (output, error, code) = await weir.EndWithOutputAsync();
            Assert.Equal((2, ""), (code, output));
            Assert.Contains("standard input is closed", error, StringComparison.Ordinal);
        }

        await using var empty = WeirProcess.StartRedirected("</dev/null", "fetch", "--input", "-");
        Assert.Equal(0, await empty.EndAsync());
    }
}
