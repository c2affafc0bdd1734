using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.Streaming;

namespace Weir.Tests.AspNetCore;

/// <summary>One stream with a clock that the test advances.</summary>
internal sealed class StreamBench : IAsyncDisposable
{
    internal static readonly ProblemReport Problem = new(new Problem(500, WeirCodes.HandlerFailed, "It broke."), "/a/b", "trace");

    private readonly FlushTicker _ticker;

    internal StreamBench(IStreamFormat? format = null, FlushPolicy policy = FlushPolicy.Adaptive, WeirServerOptions? options = null, bool isCrowded = false, bool isThreadWanted = true, Func<long>? first = null)
    {
        Settings = new StreamSettings(options ?? new WeirServerOptions(), Time) { IsCrowded = () => isCrowded, IsThreadWanted = () => isThreadWanted };
        _ticker = new FlushTicker(Settings);
        Stream = new ResponseStream(format ?? new NdjsonFormat(MediaTypes.Ndjson, marked: false), Output, policy, Settings, _ticker, first);
        Stream.Open();
    }

    internal ManualTime Time { get; } = new();

    internal StreamSettings Settings { get; }

    internal RecordedOutput Output { get; } = new();

    internal ResponseStream Stream { get; }

    internal void Advance(double milliseconds) => Time.Advance(TimeSpan.FromMilliseconds(milliseconds));

    public async ValueTask DisposeAsync()
    {
        await Stream.CloseAsync();
        await Stream.DisposeAsync();
        _ticker.Dispose();
        Assert.Equal(0, Time.ActiveTimers);
    }
}
