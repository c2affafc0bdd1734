using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;
using Refit;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>The ways to call document 004's operation from .NET.</summary>
internal static class CallWays
{
    public static Func<int, Task<Echo>> Named(string name, HttpClient http)
    {
        switch (name)
        {
            case "weir":
                var weir = WeirClient.Create<ICalledPerf>(http);
                return x => weir.Echo("lab", x, 1, Fruit.Apple).AsTask();

            case "hand":
                return x => ByHandAsync(http, x);

            case "refit":
                var refit = RestService.For<IRefitPerf>(http, new RefitSettings(new SystemTextJsonContentSerializer(new JsonSerializerOptions(JsonSerializerDefaults.Web) { TypeInfoResolver = CallingJson.Default })));
                return x => refit.Echo("lab", x, 1, Fruit.Apple);

            default:
                throw new ArgumentException($"There is no way '{name}' to call.");
        }
    }

    // As a careful author writes it: the values are escaped, the status is checked, the response is parsed while it arrives.
    private static async Task<Echo> ByHandAsync(HttpClient http, int x)
    {
        var uri = string.Create(CultureInfo.InvariantCulture, $"/Perf/Echo?name={Uri.EscapeDataString("lab")}&x={x}&y=1&e={Fruit.Apple}");
        using var response = await http.GetAsync(uri, HttpCompletionOption.ResponseHeadersRead);
        response.EnsureSuccessStatusCode();
        return (await response.Content.ReadFromJsonAsync(CallingJson.Default.Echo))!;
    }
}
