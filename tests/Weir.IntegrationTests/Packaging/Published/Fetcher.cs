using System.Text.Json.Serialization;
using Weir;

/// <summary>Sends many requests to this application itself.</summary>
[Service]
public sealed class Fetcher(IHttpClientFactory clients)
{
    private static int s_inFlight;
    private static int s_most;

    [Get]
    public async Task<int> Slow(int number)
    {
        var inFlight = Interlocked.Increment(ref s_inFlight);
        Interlocked.Exchange(ref s_most, Math.Max(Volatile.Read(ref s_most), inFlight));
        await Task.Delay(20);
        Interlocked.Decrement(ref s_inFlight);
        return number;
    }

    [Get] public Order Tea(int amount) => new("tea", amount);

    [Get]
    public async Task<string> Many(string address)
    {
        using var client = clients.CreateClient("limited");
        var numbers = 0;
        var options = new FanOutOptions { MaxConcurrency = 10 };
        await foreach (var result in client.SendAllAsync(Enumerable.Range(1, 20).Select(number => new Uri($"{address}Fetcher/Slow?number={number}")), options))
        {
            using var response = result.Response!;
            numbers += int.Parse(await response.Content.ReadAsStringAsync());
        }

        var amounts = 0;
        await foreach (var result in client.GetAllAsync(Enumerable.Range(1, 20).Select(amount => new Uri($"{address}Fetcher/Tea?amount={amount}")), Json.Default.Order))
        {
            amounts += result.Value!.Amount;
        }

        return $"{numbers} {amounts}, at most {s_most} in flight";
    }
}

[JsonSourceGenerationOptions(System.Text.Json.JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(Order))]
internal sealed partial class Json : JsonSerializerContext;
