using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Load;

/// <summary>Those who watch the dashboard of a contender, each on a connection of its own. They count what they get, and throw it away.</summary>
internal sealed class DashboardViewers : IAsyncDisposable
{
    private readonly HttpClient _client = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly long _began = Clock.Now;
    private readonly int _viewers;
    private Task[] _reading = [];
    private long _ticks;

    private DashboardViewers(int viewers) => _viewers = viewers;

    /// <summary>What one of them has got.</summary>
    public double TicksPerSecond => Interlocked.Read(ref _ticks) / (_viewers * Clock.SecondsSince(_began));

    /// <summary>Begins to watch.</summary>
    public static async Task<DashboardViewers> StartAsync(ContenderProcess process, int viewers, CancellationToken cancellation)
    {
        var all = new DashboardViewers(viewers);
        var answers = await Task.WhenAll(Enumerable.Range(0, viewers).Select(_ => all._client.GetAsync(Served.Address(process, "/weir/events"), HttpCompletionOption.ResponseHeadersRead, cancellation)));
        all._reading = [.. answers.Select(all.ReadAsync)];
        return all;
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_reading);
        _client.Dispose();
        _stop.Dispose();
    }

    private async Task ReadAsync(HttpResponseMessage answer)
    {
        using (answer)
        {
            answer.EnsureSuccessStatusCode();
            using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync(_stop.Token));
            try
            {
                while (await reader.ReadLineAsync(_stop.Token) is { } line)
                {
                    if (line == "event: tick")
                        Interlocked.Increment(ref _ticks);
                }
            }
            catch (OperationCanceledException)
            {
                // They have seen enough.
            }
        }
    }
}
