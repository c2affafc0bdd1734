using Weir.IntegrationTests.AspNetCore;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Watching;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>The host's own system calls fail: a call ends with an error that says what failed, or well; nothing hangs, nothing leaks, and afterwards all is as before.</summary>
[Collection(nameof(Alone))]
public sealed class InjectionTests
{
    private const double Soon = 30;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("pipe2:error=EMFILE", null, "pipe2 failed with errno 24")]
    [InlineData("socketpair:error=ENFILE", null, "socketpair failed with errno 23")]
    [InlineData("socketpair:error=ENOMEM:when=2", null, "socketpair failed with errno 12")]
    [InlineData("memfd_create:error=EMFILE", null, "memfd_create failed with errno 24")]
    [InlineData("clone,clone3,vfork:error=EAGAIN", "Weir worker spa", "posix_spawn(")]
    [InlineData("clone,clone3,vfork:error=ENOMEM", "Weir worker spa", "failed with errno 12")]
    [InlineData("pidfd_open:error=EMFILE", null, "pidfd_open failed with errno 24")]
    [InlineData("prlimit64:error=EPERM", null, "failed with errno ")] // posix_spawn asks for a limit too, and then says EBADF
    [InlineData("epoll_ctl:error=ENOSPC", null, "epoll_ctl(1) failed with errno 28")]
    public async Task A_worker_that_cannot_be_started_fails_its_call_with_the_name_of_what_failed(string injection, string? thread, string says)
    {
        await using var pool = ScriptedPool.Start(static options => (options.MaxWorkers, options.MemoryLimitBytes) = (1, 512L << 20));
        _ = Signals.Send(int.Parse(await pool.DoAsync("pid")), Signals.Kill);
        Assert.True(await pool.SettlesAsync(static now => now.Workers.Count == 0));
        await using (var strace = await Strace.AttachAsync(injection, thread))
        {
            var before = ProcFiles.WorkerDescriptors();
            var failure = await Assert.ThrowsAnyAsync<WeirException>(() => pool.DoAsync("not now"));
            var isLimit = injection.StartsWith("prlimit64", StringComparison.Ordinal) && failure.Code == WeirCodes.LimitNotApplied;
            Assert.True(isLimit || failure is CallRejectedException { Code: WeirCodes.WorkerStartRefused, RetryAfter: not null }, failure.ToString());
            Assert.True(failure.Message.Contains(says, StringComparison.Ordinal), failure.Message);
            Assert.True(await pool.SettlesAsync(static now => now.Workers.Count == 0));
            Assert.True(
                await ProcFiles.EventuallyAsync(() => !ProcFiles.WorkerDescriptors().Except(before).Any(), TimeSpan.FromSeconds(60)),
                $"More than before: {string.Join(", ", ProcFiles.WorkerDescriptors().Except(before))}");
            Assert.InRange(await strace.DetachAsync(), 1, int.MaxValue);
        }

        Assert.Empty(ProcFiles.Zombies());
        Assert.Equal("now", await pool.DoAsync("now"));
    }

    [Fact]
    public async Task Where_memory_cannot_be_shared_a_worker_serves_without_it()
    {
        var launcher = new WatchedLauncher();
        await using var pool = FreshPool.Start("compliance", options => (options.Launcher, options.MinWorkers, options.MaxWorkers) = (launcher, 0, 1));
        await using var strace = await Strace.AttachAsync("memfd_create:error=ENOSYS");
        Assert.Equal(3, await pool.GetProxy<IComplianceInlineClient>().Add(1, 2, Token).AsTask().WithinAsync(Soon));
        Assert.InRange(await strace.DetachAsync(), 1, int.MaxValue);
        Assert.Null(launcher.Last.SharedMemory);
    }

    [Theory]
    [InlineData("sendto:error=EINTR:when=1..99+2")]
    [InlineData("sendto:error=EAGAIN:when=1..99+2")]
    [InlineData("sendto:error=ENOBUFS:when=1..99+2")]
    [InlineData("sendto:error=ENOMEM:when=2..98+3")]
    [InlineData("recvfrom:error=EINTR:when=1..99+2")]
    [InlineData("epoll_wait,epoll_pwait:error=EINTR:when=1..99+2")]
    [InlineData("poll,ppoll:error=EINTR:when=1..99+2")]
    public async Task Calls_are_sent_and_answered_also_when_system_calls_are_interrupted(string injection)
    {
        // One that has a region and one that has none.
        await using var scripted = ScriptedPool.Start(static options => options.QueueLimit = 1000);
        await using var pool = FreshPool.Start("compliance", static options => options.QueueLimit = 1000);
        var worker = pool.GetProxy<IComplianceInlineClient>();
        await using var strace = await Strace.AttachAsync(injection);

        // Workers are started in the middle of it; large arguments wait for space again and again.
        for (var i = 0; i < 50; i++)
        {
            Assert.Equal($"answer {i}", await scripted.DoAsync($"answer {i}"));
            Assert.Equal(i + 1, await worker.Add(i, 1, Token).AsTask().WithinAsync(Soon));
        }

        var large = new byte[2 << 20];
        "length "u8.CopyTo(large);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async _ =>
        {
            Assert.Equal($"{large.Length}", await scripted.DoAsync(large));
            Assert.Equal(large.Length, (await worker.Reverse("", large, Token).AsTask().WithinAsync(Soon)).Length);
        })).WithinAsync(Soon);
        Assert.Equal(3000, (await scripted.StreamAsync("items 3000 1000")).Count);

        if (!injection.StartsWith("poll", StringComparison.Ordinal))
        {
            // Whether a thread polls is the choice of the host.
            Assert.InRange(await strace.DetachAsync(), 10, int.MaxValue);
        }
    }

    [Fact]
    public async Task A_call_that_cannot_be_sent_ends_with_its_deadline_and_those_that_come_later_well()
    {
        await using var pool = ScriptedPool.Start(static options => options.MaxWorkers = 1);
        await pool.DoAsync("warm");
        await using (var strace = await Strace.AttachAsync("sendto:error=ENOBUFS"))
        {
            await Assert.ThrowsAsync<DeadlineExceededException>(() => pool.DoAsync("unsent", new CallRequest { TimeLimit = TimeSpan.FromMilliseconds(300) }));
            Assert.InRange(await strace.DetachAsync(), 1, int.MaxValue);
        }

        Assert.Equal("later", await pool.DoAsync("later"));
    }

    [Theory]
    [InlineData("accept4:error=EMFILE:when=1..99+2")]
    [InlineData("accept4:error=ENOMEM:when=1..99+2")]
    [InlineData("accept4:error=EINTR:when=1..99+2")]
    [InlineData("accept4:error=ECONNABORTED:when=1..99+2")]
    public async Task Connections_are_accepted_after_those_that_could_not_be(string injection)
    {
        await using var host = await WeirHost.StartAsync(Probe.Result("Echo", ResultKind.Text, static (arguments, _) => arguments["x"], [Probe.Text("x")]));
        await using var strace = await Strace.AttachAsync(injection);
        for (var i = 0; i < 20; i++)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, $"/Probe/Echo?x={i}");
            request.Headers.ConnectionClose = true;
            using var response = await host.Client.SendAsync(request, Token).WithinAsync(Soon);
            Assert.Equal($"{i}", await response.Content.ReadAsStringAsync(Token));
        }

        Assert.InRange(await strace.DetachAsync(), 5, int.MaxValue);
    }
}
