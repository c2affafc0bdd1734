using System.Diagnostics;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.FanOut;

/// <summary>A million addresses through one client, by Weir or by the loop that people write by hand; and how a fan-out begins and ends.</summary>
internal sealed class EndlessFanOut : ContenderProgram
{
    private const int MaxConcurrency = 50;

    private readonly DisposalCounter _disposals = new();
    private readonly HttpClient _http = TestClient.Create();
    private readonly HttpClient _counted;
    private bool _isByHand;

    public EndlessFanOut() => _counted = new HttpClient(_disposals);

    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        _isByHand = settings.Is("way", "by-hand");
        return base.StartAsync(settings);
    }

    public override async Task RunAsync(ControlLine request, Round round)
    {
        switch (request["what"])
        {
            case "many":
                await ManyAsync(new Uri(request["url"]), request.Int("count"), round);
                break;
            case "first":
                await FirstAsync(new Uri(request["url"]), round);
                break;
            default:
                await CancelAsync(new Uri(request["url"]), new Uri(request["slow"]), round);
                break;
        }
    }

    public override ValueTask DisposeAsync()
    {
        _http.Dispose();
        _counted.Dispose();
        return base.DisposeAsync();
    }

    private async Task ManyAsync(Uri url, int count, Round round)
    {
        var began = Stopwatch.GetTimestamp();
        var addresses = Enumerable.Range(0, count).Select(i => new Uri(url, $"?{i}"));
        var answered = _isByHand ? await ByHandAsync(addresses) : await ByWeirAsync(addresses);
        if (answered != count)
            throw new InvalidDataException($"{answered} of {count} requests were answered with 200.");

        round.AddRate("requests/s", count, Stopwatch.GetElapsedTime(began).TotalSeconds);
    }

    private async Task<int> ByWeirAsync(IEnumerable<Uri> addresses)
    {
        var answered = 0;
        await foreach (var result in _http.SendAllAsync(addresses, new FanOutOptions { MaxConcurrency = MaxConcurrency }))
        {
            using (result)
            {
                if (result.Response?.IsSuccessStatusCode == true)
                    answered++;
            }
        }

        return answered;
    }

    // As many tasks as may be in flight, each of which takes the next address.
    private async Task<int> ByHandAsync(IEnumerable<Uri> addresses)
    {
        using var list = addresses.GetEnumerator();
        var answered = 0;
        await Task.WhenAll(Enumerable.Range(0, MaxConcurrency).Select(_ => Task.Run(async () =>
        {
            while (Next() is { } address)
            {
                using var response = await _http.GetAsync(address);
                if (response.IsSuccessStatusCode)
                    Interlocked.Increment(ref answered);
            }
        })));
        return answered;

        Uri? Next()
        {
            lock (list)
                return list.MoveNext() ? list.Current : null;
        }
    }

    private async Task FirstAsync(Uri url, Round round)
    {
        var read = 0;
        await using var results = _http.SendAllAsync(Endless(), new FanOutOptions { MaxConcurrency = MaxConcurrency }).GetAsyncEnumerator();
        if (!await results.MoveNextAsync() || results.Current.Response is null)
            throw new InvalidDataException("The first request was not answered.");

        round.Add("read before the first result", Volatile.Read(ref read), "");
        results.Current.Dispose();

        IEnumerable<Uri> Endless()
        {
            while (true)
            {
                Interlocked.Increment(ref read);
                yield return url;
            }
        }
    }

    // Half of the requests have responses that were not taken, half have none yet.
    private async Task CancelAsync(Uri fast, Uri slow, Round round)
    {
        _disposals.Forget();
        using var cancelling = new CancellationTokenSource();
        var addresses = Enumerable.Range(0, MaxConcurrency).Select(i => i % 2 == 0 ? fast : slow);
        await using var results = _counted.SendAllAsync(addresses, new FanOutOptions { MaxConcurrency = MaxConcurrency }, cancelling.Token).GetAsyncEnumerator(CancellationToken.None);
        if (!await results.MoveNextAsync())
            throw new InvalidDataException("No request was answered.");

        // The fast half, and time for the others to be sent.
        while (_disposals.Created < MaxConcurrency / 2)
            await Task.Delay(1);
        await Task.Delay(50);
        results.Current.Dispose();
        var began = Stopwatch.GetTimestamp();
        var cancelled = false;
        await cancelling.CancelAsync();
        try
        {
            while (await results.MoveNextAsync())
                results.Current.Dispose();
        }
        catch (OperationCanceledException)
        {
            cancelled = true;
        }

        round.Add("cancelled to ended", Stopwatch.GetElapsedTime(began).TotalMilliseconds, "ms")
            .Add("responses", _disposals.Created, "")
            .Add("not disposed", _disposals.Created - _disposals.Disposed, "");
        if (!cancelled)
            throw new InvalidDataException("The enumeration ended without saying that it was cancelled.");
    }
}
