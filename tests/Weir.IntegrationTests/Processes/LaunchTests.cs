using System.Text;
using Weir.Execution.Processes;
using Xunit;

namespace Weir.IntegrationTests.Processes;

public class LaunchTests
{
    [Theory]
    [InlineData("exit 0", "exit code 0")]
    [InlineData("exit 3", "exit code 3")]
    [InlineData("exit 137", "exit code 137")]
    [InlineData("kill -KILL $$", "signal 9 (SIGKILL)")]
    [InlineData("kill -SEGV $$", "signal 11 (SIGSEGV)")]
    [InlineData("kill -ABRT $$", "signal 6 (SIGABRT)")]
    public async Task The_end_is_reported_as_it_was(string script, string report)
    {
        await using var launched = await Launched.ShellAsync(script);
        Assert.Equal(report, (await launched.ExitAsync()).ToString());
    }

    [Fact]
    public async Task A_program_that_does_not_exist_is_named()
    {
        var before = ProcFiles.OwnDescriptors();
        var failure = await Assert.ThrowsAsync<LaunchException>(() => Launched.StartAsync("/no/such/program", []));
        Assert.Equal(WeirCodes.WorkerStartRefused, failure.Code);
        Assert.Contains("/no/such/program", failure.Message, StringComparison.Ordinal);
        Assert.Contains("errno 2", failure.Message, StringComparison.Ordinal);

        // Each start opens several; tests beside this one open and close some too.
        for (var i = 0; i < 50; i++)
        {
            await Assert.ThrowsAsync<LaunchException>(() => Launched.StartAsync("/no/such/program", []));
        }

        Assert.InRange(ProcFiles.OwnDescriptors(), 0, before + 49);
    }

    [Fact]
    public async Task Arguments_environment_and_directory_arrive_as_given()
    {
        await using var launched = await Launched.StartAsync(
            "/bin/sh",
            ["-c", "printf '%s|' \"$@\"; echo; env; pwd", "name", "a b", "", "ü'\"$x"],
            environment: new() { ["ONLY"] = "one=two" },
            directory: "/usr");
        await launched.ExitAsync();
        var lines = launched.Log.Lines.Select(line => line.Text).ToList();
        Assert.Equal("a b||ü'\"$x|", lines[0]);
        Assert.Contains("ONLY=one=two", lines);
        Assert.Equal("/usr", lines[^1]);
        Assert.DoesNotContain(lines, line => line.StartsWith("HOME=", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_worker_has_descriptors_0_to_5_and_nothing_else_of_the_host()
    {
        int[] expected = [0, 1, 2, 3, 4, 5];

        // One that .NET opened, and two that a native library opened without close-on-exec, before and after the first spawn.
        using var own = File.OpenRead("/proc/self/exe");
        using var before = new NativeFile();
        await using (var first = await Launched.StartAsync("/bin/sleep", ["60"]))
        {
        }

        using var after = new NativeFile();
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"]);
        var pid = launched.Worker.ProcessId;

        // Until the program has closed the libraries that it opens while it starts.
        Assert.True(await ProcFiles.EventuallyAsync(() => Read($"/proc/{pid}/comm") == "sleep" && Numbers().Order().SequenceEqual(expected), TimeSpan.FromSeconds(60)));
        var descriptors = expected.ToDictionary(static number => number, number => new FileInfo($"/proc/{pid}/fd/{number}").LinkTarget!);
        Assert.Equal("/dev/null", descriptors[0]);
        Assert.StartsWith("pipe:", descriptors[1], StringComparison.Ordinal);
        Assert.StartsWith("pipe:", descriptors[2], StringComparison.Ordinal);
        Assert.StartsWith("socket:", descriptors[3], StringComparison.Ordinal);
        Assert.StartsWith("socket:", descriptors[4], StringComparison.Ordinal);
        Assert.StartsWith("/memfd:weir-shared", descriptors[5], StringComparison.Ordinal);
        Assert.Equal(5, descriptors.Values.Distinct().Count(target => target != "/dev/null"));

        IEnumerable<int> Numbers() => Directory.GetFileSystemEntries($"/proc/{pid}/fd").Select(static path => int.Parse(Path.GetFileName(path)));
    }

    [Fact]
    public async Task A_worker_blocks_and_ignores_no_signal_and_leads_a_group_of_its_own()
    {
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"]);
        var pid = launched.Worker.ProcessId;
        Assert.True(await ProcFiles.EventuallyAsync(() => Read($"/proc/{pid}/comm") == "sleep", TimeSpan.FromSeconds(60)));
        var status = File.ReadAllLines($"/proc/{pid}/status");
        Assert.Equal("0000000000000000", Field(status, "SigBlk:"));

        // The C library's posix_spawn leaves its own two signals, 32 and 33, ignored; the new program's library takes them over.
        const ulong OwnedByTheLibrary = 0x1_8000_0000;
        Assert.Equal(0UL, Convert.ToUInt64(Field(status, "SigIgn:"), 16) & ~OwnedByTheLibrary);
        Assert.Equal(pid, ProcFiles.Stat(pid)!.Value.Group);
        Assert.Equal(Environment.ProcessId, ProcFiles.Stat(pid)!.Value.Parent);
    }

    [Fact]
    public async Task Bytes_pass_both_ways_on_both_channels()
    {
        await using var launched = await Launched.ShellAsync("cat <&3 >&3 & cat <&4 >&4; wait");
        foreach (var channel in new[] { launched.Worker.Data, launched.Worker.Control })
        {
            Assert.Equal(5, channel.TrySend("hello"u8));
            var buffer = new byte[16];
            Assert.Equal(5, await Task.Run(() => channel.Receive(buffer), TestContext.Current.CancellationToken));
            Assert.Equal("hello", Encoding.UTF8.GetString(buffer, 0, 5));
        }
    }

    [Fact]
    public async Task Ending_a_channel_ends_the_worker_that_waits_on_it_and_the_reader_in_the_host()
    {
        await using var launched = await Launched.ShellAsync("cat <&3 >/dev/null; exit 7");
        var reader = Task.Run(() => launched.Worker.Data.Receive(new byte[16]), TestContext.Current.CancellationToken);
        launched.Worker.Data.End();
        Assert.Equal(0, await reader.WithinAsync(60));
        Assert.Equal(7, (await launched.ExitAsync()).ExitCode);
    }

    [Fact]
    public async Task What_a_dead_worker_sent_is_read_before_the_end_although_it_left_bytes_unread()
    {
        await using var launched = await Launched.ShellAsync("head -c 1 <&3 >/dev/null; printf result >&3; kill -KILL $$");
        Assert.Equal(6, launched.Worker.Data.TrySend("unread"u8));
        await launched.ExitAsync();
        var buffer = new byte[16];
        Assert.Equal("result", Encoding.UTF8.GetString(buffer, 0, launched.Worker.Data.Receive(buffer)));
        Assert.Equal(0, launched.Worker.Data.Receive(buffer));
        Assert.Equal(-1, launched.Worker.Data.TrySend("more"u8));
    }

    [Fact]
    public async Task A_full_channel_takes_nothing_and_does_not_wait()
    {
        await using var launched = await Launched.StartAsync("/bin/sleep", ["60"]);
        var block = new byte[64 * 1024];
        long taken = 0;
        int sent;
        while ((sent = launched.Worker.Data.TrySend(block)) > 0)
        {
            taken += sent;
        }

        Assert.Equal(0, sent);
        Assert.InRange(taken, 1, 64 * 1024 * 1024);
    }

    private static string? Read(string path)
    {
        try
        {
            return File.ReadAllText(path).TrimEnd();
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static string Field(string[] status, string name) =>
        status.Single(line => line.StartsWith(name, StringComparison.Ordinal))[name.Length..].Trim();
}
