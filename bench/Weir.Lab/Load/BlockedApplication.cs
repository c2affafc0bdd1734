using System.Diagnostics;
using System.Text.Json;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Load;

/// <summary>Calls that block, all at once, in a contender that has a dashboard: what people see of it. The calls end with it.</summary>
internal sealed class BlockedApplication : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly HttpClient _client = new(new SocketsHttpHandler { MaxConnectionsPerServer = int.MaxValue }) { Timeout = Timeout.InfiniteTimeSpan };
    private readonly ContenderProcess _process;
    private readonly Task<string>[] _calls;

    private BlockedApplication(ContenderProcess process, int calls, TimeSpan time)
    {
        _process = process;
        var address = Served.Address(process, FormattableString.Invariant($"/sleep/bio?ms={time.TotalMilliseconds:0}"));
        _calls = [.. Enumerable.Range(0, calls).Select(_ => _client.GetStringAsync(address))];
    }

    /// <summary>Begins the calls, and waits until all of them run or wait.</summary>
    public static async Task<BlockedApplication> StartAsync(ContenderProcess process, int calls, TimeSpan time, CancellationToken cancellation)
    {
        var blocked = new BlockedApplication(process, calls, time);
        var began = Clock.Now;
        while (await blocked.RunningAsync(cancellation) < calls)
        {
            if (Clock.SecondsSince(began) > Patience.TotalSeconds)
                throw new TimeoutException($"After {Patience.TotalSeconds:0} s fewer than {calls} calls run or wait.");
            await Task.Delay(20, cancellation);
        }

        return blocked;
    }

    /// <summary>How long <c>weir ps</c> takes, from its start to its end, in milliseconds.</summary>
    public async Task<double> ShowAsync(CancellationToken cancellation)
    {
        var start = new ProcessStartInfo("dotnet", [BuiltPrograms.Cli, "ps", Served.Address(_process, "/").AbsoluteUri]) { RedirectStandardOutput = true };
        var began = Clock.Now;
        using var tool = Process.Start(start) ?? throw new InvalidOperationException("dotnet was not started.");
        var shown = await tool.StandardOutput.ReadToEndAsync(cancellation);
        await tool.WaitForExitAsync(cancellation);
        var took = Clock.MillisecondsBetween(began, Clock.Now);
        return tool.ExitCode == 0 && shown.Contains("sleep/bio", StringComparison.OrdinalIgnoreCase)
            ? took
            : throw new InvalidDataException($"weir ps ended with {tool.ExitCode} and does not show the calls: {shown}");
    }

    public void Dispose()
    {
        _client.Dispose();
        foreach (var call in _calls)
            _ = call.Exception;
    }

    private async Task<int> RunningAsync(CancellationToken cancellation) =>
        JsonElement.Parse(await Served.FetchAsync(_process, "/weir/calls", cancellation)).GetProperty("running").GetInt32();
}
