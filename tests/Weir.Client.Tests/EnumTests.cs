using System.Net;
using System.Text;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A server that is newer than the client sends names that the client's enum does not have.</summary>
public sealed class EnumTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("""{"name":"a","count":1,"shade":"Dim"}""", "Dim", "shade")]
    [InlineData("""{"name":"a","count":1,"parts":[{"name":"b","count":1},{"name":"c","count":1,"shade":17}]}""", "17", "parts[1].shade")]
    public async Task An_unknown_name_is_named_with_its_path(string body, string name, string path)
    {
        var error = await Assert.ThrowsAsync<UnknownEnumValueException>(() => Answering<IValues>(body).Body(new Part("a", 1), ct: Cancel));
        Assert.Equal(("Shade", name, path, WeirCodes.UnknownEnumValue), (error.TypeName, error.Name, error.Path, error.Code));
    }

    [Fact]
    public async Task An_unknown_name_in_what_only_the_serializer_reads_is_named_with_its_path()
    {
        var error = await Assert.ThrowsAsync<UnknownEnumValueException>(
            async () => await Answering<IValues>("""{"one":{"name":"a","count":1,"shade":"Dim"}}""").ByName([], Cancel));
        Assert.Equal(("Dim", "one.shade"), (error.Name, error.Path));
    }

    [Fact]
    public async Task An_unknown_name_of_an_item_is_thrown_at_its_item()
    {
        var names = new List<string>();
        await Assert.ThrowsAsync<UnknownEnumValueException>(async () =>
        {
            await foreach (var part in Answering<IStreams>("{\"name\":\"a\",\"count\":1}\n{\"name\":\"b\",\"count\":1,\"shade\":\"Dim\"}\n", "application/x-ndjson; weir=1").Fail(0, "", Cancel))
            {
                names.Add(part.Name);
            }
        });
        Assert.Equal(["a"], names);
    }

    [Theory]
    [InlineData("\"Post\"", Delivery.Post)]
    [InlineData("\"Pigeon\"", Delivery.Other)]
    [InlineData("9", Delivery.Other)]
    public async Task A_declared_fallback_takes_the_place_of_an_unknown_name(string body, Delivery expected) =>
        Assert.Equal(expected, await Answering<IDeliveries>(body).Next(Cancel));

    private static T Answering<T>(string body, string type = "application/json")
        where T : class => WeirClient.Create<T>(new HttpClient(new Fixed(body, type)) { BaseAddress = new Uri("http://localhost") });

    private sealed class Fixed(string body, string type) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            content.Headers.TryAddWithoutValidation("Content-Type", type);
            return Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = content });
        }
    }
}
