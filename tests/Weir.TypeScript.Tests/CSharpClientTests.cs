using System.Text.Json;
using Weir.TypeScript.Tests.Application;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary>The generated client in C# against the same service and the same values as the one in TypeScript.</summary>
public sealed class CSharpClientTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public Task Random_values_of_every_type_are_the_same_on_both_sides() => CompareAsync(1_000);

    [Fact]
    [Trait("Kind", "Long")]
    public Task A_hundred_thousand_random_values_are_the_same_on_both_sides() => CompareAsync(100_000);

    private static async Task CompareAsync(int count)
    {
        await using var echo = await RunningEcho.StartAsync();
        using var http = new HttpClient { BaseAddress = new Uri(echo.Address + "/v1") };
        var mirror = WeirClient.Create<IMirror>(http);
        for (var first = 0; first < count; first += 100)
        {
            Everything[] sent = [.. Enumerable.Range(first, 100).Select(static index => new RandomValues(index).Everything())];
            var received = await mirror.Back(sent, Cancel).ToListAsync(Cancel);
            Assert.Equal(sent.Select(static one => JsonSerializer.Serialize(one)), received.Select(static one => JsonSerializer.Serialize(one)));
        }
    }
}
