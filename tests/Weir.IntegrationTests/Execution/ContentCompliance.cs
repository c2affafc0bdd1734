using System.IO.Pipelines;
using System.Security.Cryptography;
using Weir.Execution.Processes.Portable;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>What every executor promises about content of any length in both directions; the same operations, placed differently.</summary>
public abstract class ContentCompliance : IAsyncLifetime
{
    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private protected const int Limit = 60_000;

    // More than the window of a stream and both rings can hold.
    private const long Much = 20_000_000;

    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    private Application _application = null!;

    private protected Application Application => _application;

    private protected abstract IContentProbe Probe { get; }

    private protected virtual void Configure(WeirOptions options)
    {
    }

    public ValueTask InitializeAsync()
    {
        _application = new Application(Configure);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    [Theory(Timeout = Limit)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(Much)]
    public async Task A_stream_arrives_as_it_went(long length) =>
        Assert.Equal(Pattern.Expected(length), await InTime(Probe.Hash(new Pattern(length, seekable: false), Token)));

    [Fact(Timeout = Limit)]
    public async Task A_stream_is_sent_from_its_position_and_stays_open()
    {
        var content = new MemoryStream([1, 2, 3, 4]) { Position = 2 };
        Assert.Equal($"2 {Convert.ToHexString(SHA256.HashData([3, 4]))}", await InTime(Probe.Hash(content, Token)));
        Assert.True(content.CanRead);
    }

    [Fact(Timeout = Limit)]
    public async Task A_pipe_arrives_beside_other_arguments() =>
        Assert.Equal($"a \"label\" {Pattern.Expected(1_000_000)}", await InTime(Probe.HashPipe(PipeReader.Create(new Pattern(1_000_000, seekable: false)), "a \"label\"", Token)));

    [Theory(Timeout = Limit)]
    [InlineData(0, false)]
    [InlineData(0, true)]
    [InlineData(1, false)]
    [InlineData(65_537, true)]
    [InlineData(Much, false)]
    public async Task A_stream_comes_back_as_it_was_returned(long length, bool seekable)
    {
        await using var content = await InTime(Probe.Make(length, seekable, Token));
        Assert.Equal(Pattern.Expected(length), await InTime(HashAsync(content)));
    }

    [Fact(Timeout = Limit)]
    public async Task A_pipe_comes_back_as_it_was_returned()
    {
        var content = await InTime(Probe.MakePipe(1_000_000, Token));
        Assert.Equal(Pattern.Expected(1_000_000), await InTime(HashAsync(content.AsStream(leaveOpen: true))));
        await content.CompleteAsync();
    }

    [Fact(Timeout = Limit)]
    public async Task Both_directions_run_at_once()
    {
        await using var content = await InTime(Probe.Echo(new Pattern(Much, seekable: false), Token));
        Assert.Equal(Pattern.Expected(Much), await InTime(HashAsync(content)));
    }

    [Fact(Timeout = Limit)]
    public async Task Content_that_fails_in_the_middle_never_looks_complete()
    {
        await using var content = await InTime(Probe.Break(500_000, Token));
        var read = 0L;
        var failure = await Assert.ThrowsAnyAsync<Exception>(async () =>
        {
            var buffer = new byte[10_000];
            for (int count; (count = await content.ReadAsync(buffer, Token)) > 0;)
            {
                read += count;
            }
        });

        Assert.Equal("the disk is gone", failure.Message);
        Assert.InRange(read, 0, 500_000);
        await Assert.ThrowsAnyAsync<Exception>(() => content.ReadAsync(new byte[1], Token).AsTask());
    }

    [Fact(Timeout = Limit)]
    public async Task What_the_callers_stream_throws_is_what_the_caller_gets()
    {
        var failure = await Assert.ThrowsAsync<IOException>(() => InTime(Probe.Hash(new Pattern(300_000, seekable: false) { Fails = true }, Token)));
        Assert.Equal("the disk is gone", failure.Message);
    }

    [Fact(Timeout = Limit)]
    public async Task Code_that_handles_the_failure_sees_no_end() =>
        Assert.Equal(300_000, await InTime(Probe.CountBeforeFailure(new Pattern(300_000, seekable: false) { Fails = true }, Token)));

    [Fact(Timeout = Limit)]
    public async Task An_operation_that_has_enough_stops_the_caller()
    {
        var content = new Pattern(0, seekable: false) { IsEndless = true };
        Assert.Equal(1000, await InTime(Probe.Start(content, 1000, Token)));

        // What is on its way is bounded: the window, and a piece.
        Assert.InRange(content.Taken, 1000, 4_000_000);
    }

    [Fact(Timeout = Limit)]
    public async Task A_slow_reader_stops_the_producer_and_disposing_ends_it()
    {
        for (var i = 0; i < 5; i++)
        {
            await using var content = await InTime(Probe.Make(1L << 40, seekable: false, Token));
            await content.ReadExactlyAsync(new byte[1000], Token);
        }

        Assert.Equal(Pattern.Expected(10), await InTime(Probe.Hash(new Pattern(10, seekable: false), Token)));
    }

    [Fact(Timeout = Limit)]
    public async Task A_read_that_was_cancelled_can_be_repeated()
    {
        var source = new WaitingStream(10);
        await using var content = await InTime(Probe.Echo(source, Token));
        await InTime(content.ReadExactlyAsync(new byte[10], Token).AsTask());
        using var cancelled = new CancellationTokenSource();
        var reading = content.ReadAsync(new byte[10], cancelled.Token).AsTask();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => InTime(reading));
        source.Continue(5);
        await InTime(content.ReadExactlyAsync(new byte[5], Token).AsTask());
    }

    [Fact(Timeout = Limit)]
    public async Task Calls_at_once_keep_their_content_apart()
    {
        var calls = Enumerable.Range(1, 20).Select(async one => (await Probe.Hash(new Pattern(one * 50_000, seekable: false), Token)) == Pattern.Expected(one * 50_000));
        Assert.All(await InTime(Task.WhenAll(calls)), Assert.True);
    }

    private protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private protected static Task<T> InTime<T>(Task<T> task) => task.WaitAsync(Soon, Token);

    private protected static Task InTime(Task task) => task.WaitAsync(Soon, Token);

    private static async Task<string> HashAsync(Stream content)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = new byte[30_000];
        var length = 0L;
        for (int read; (read = await content.ReadAsync(buffer, Token)) > 0; length += read)
        {
            hash.AppendData(buffer.AsSpan(0, read));
        }

        return $"{length} {Convert.ToHexString(hash.GetHashAndReset())}";
    }
}

public sealed class InlineContentTests : ContentCompliance
{
    private protected override IContentProbe Probe => Application.Get<IInlineContents>();
}

public sealed class LaneContentTests : ContentCompliance
{
    private protected override IContentProbe Probe => Application.Get<ILaneContents>();
}

/// <summary>What only a pool promises: the caller's content is not shared, and a wait for it ends with the call, whatever token the code reads with.</summary>
public abstract class PoolContentCompliance : ContentCompliance
{
    [Fact(Timeout = Limit)]
    public async Task A_caller_who_leaves_ends_the_operation()
    {
        using var leaving = new CancellationTokenSource();
        var content = new WaitingStream(1000);
        var running = Probe.StartAndWait(content, 1000, leaving.Token);
        await InTime(content.Waits);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => InTime(running));
    }

    [Fact(Timeout = Limit)]
    public async Task Null_in_place_of_content_fails_and_says_what_to_return()
    {
        var failure = await Assert.ThrowsAnyAsync<Exception>(() => InTime(Probe.Nothing(Token)));
        Assert.Contains("return Stream.Null", failure.Message, StringComparison.Ordinal);
    }
}

public class PoolContentTests : PoolContentCompliance
{
    private protected override IContentProbe Probe => Application.Get<IIsolatedContents>();
}

/// <summary>In a worker, on threads that wait for the content where they stand.</summary>
public sealed class PoolBlockingContentTests : PoolContentCompliance
{
    private protected override IContentProbe Probe => Application.Get<IIsolatedBlockingContents>();
}

/// <summary>Where only named pipes and <c>Process.Start</c> are available.</summary>
public sealed class PortablePoolContentTests : PoolContentTests
{
    private protected override void Configure(WeirOptions options) => options.Pool("probe").Launcher = new PortableLauncher();
}

/// <summary>Beside others in one worker: their frames share a channel.</summary>
public sealed class ConcurrentPoolContentTests : PoolContentTests
{
    private protected override void Configure(WeirOptions options) => (options.Pool("probe").MaxWorkers, options.Pool("probe").Concurrency) = (1, 8);
}

/// <summary>Where a payload may be shorter than a piece.</summary>
public sealed class SmallPayloadContentTests : PoolContentTests
{
    private protected override void Configure(WeirOptions options) => options.Pool("probe").PayloadLimitBytes = 1024;
}

/// <summary>Isolated, but run in the host.</summary>
public sealed class RunInlineContentTests : ContentCompliance
{
    private protected override IContentProbe Probe => Application.Get<IIsolatedContents>();

    private protected override void Configure(WeirOptions options) => options.RunInline = true;
}

/// <summary>Isolated code that blocks, but run in the host.</summary>
public sealed class RunInlineBlockingContentTests : ContentCompliance
{
    private protected override IContentProbe Probe => Application.Get<IIsolatedBlockingContents>();

    private protected override void Configure(WeirOptions options) => options.RunInline = true;
}
