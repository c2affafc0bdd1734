using System.Net;
using System.Text;
using Weir.Client.Contracts;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>A client and a server that were built at different times.</summary>
public sealed class ContractTests(ClientHost host) : IClassFixture<ClientHost>
{
    private const string Before = """
        {"service":"Shop","operations":[{"name":"Find","signature":"1","routes":[{"verbs":["GET","POST"],"path":"/Shop/Find"}],
         "parameters":[{"name":"id","in":"value","type":"int32"},{"name":"filter","in":"body","type":"Filter"}],"result":{"kind":"value","type":"Order?"}}],
         "types":{"Filter":{"members":[{"name":"color","type":"Color"},{"name":"tags","type":"string[]","optional":true}]},"Color":{"enum":["Red","Green"]},
          "Order":{"members":[{"name":"color","type":"Color"},{"name":"parent","type":"Order?"}]}}}
        """;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("", "")]
    [InlineData("\"int32\"}", "\"int32\"},{\"name\":\"page\",\"in\":\"query\",\"type\":\"int32\",\"optional\":true}")]
    [InlineData("\"Order?\"}]", "\"Order?\"},{\"name\":\"added\",\"type\":\"string\"}]")]
    [InlineData("\"optional\":true}]", "\"optional\":true},{\"name\":\"added\",\"type\":\"string\",\"optional\":true}]")]
    [InlineData("\"Green\"", "\"Green\",\"Blue\"")]
    [InlineData("Order", "Bestellung")]
    [InlineData("\"kind\":\"value\",\"type\":\"Order?\"", "\"kind\":\"value\",\"type\":\"Order\"")]
    [InlineData("\"type\":\"Filter\"", "\"type\":\"Filter?\",\"optional\":true")]
    public void What_the_server_only_has_more_of_is_no_change(string replaced, string replacement) => Assert.Empty(Changes(replaced, replacement));

    [Theory]
    [InlineData("\"Find\"", "\"Search\"", "it is not there any more")]
    [InlineData("\"GET\",", "", "GET /Shop/Find is not served any more")]
    [InlineData("\"path\":\"/Shop/Find\"", "\"path\":\"/shop\"", "GET /Shop/Find is not served any more")]
    [InlineData("{\"name\":\"id\",\"in\":\"value\",\"type\":\"int32\"},", "", "the parameter 'id' is not there any more")]
    [InlineData("\"int32\"}", "\"int32\"},{\"name\":\"page\",\"in\":\"query\",\"type\":\"int32\"}", "the parameter 'page' is new, and must be sent")]
    [InlineData("\"in\":\"value\"", "\"in\":\"header\"", "the parameter 'id' comes from 'header', and came from 'value'")]
    [InlineData("\"int32\"", "\"int64\"", "the parameter 'id' is int64, and was int32")]
    [InlineData("\"Green\"", "\"Blue\"", "the parameter 'filter': 'color' of Filter: Color has no 'Green' any more")]
    [InlineData("{\"name\":\"tags\",\"type\":\"string[]\",\"optional\":true}", "{\"name\":\"tag\",\"type\":\"string\",\"optional\":true}", "the parameter 'filter': 'tags' of Filter is not read any more")]
    [InlineData("\"optional\":true}]", "\"optional\":true},{\"name\":\"added\",\"type\":\"string\"}]", "the parameter 'filter': 'added' of Filter is new, and must be sent")]
    [InlineData("{\"name\":\"parent\",\"type\":\"Order?\"}", "{\"name\":\"other\",\"type\":\"Order?\"}", "the result: 'parent' of Order is not there any more")]
    [InlineData("\"string[]\"", "\"string[]{}\"", "the parameter 'filter': 'tags' of Filter is string[]{}, and was string[]")]
    [InlineData("\"kind\":\"value\"", "\"kind\":\"stream\"", "its result is 'stream', and was 'value'")]
    [InlineData("\"kind\":\"value\"", "\"kind\":\"value\",\"mediaType\":\"image/png\"", "its result is image/png, and was bytes of no declared media type")]
    public void A_change_that_breaks_calls_is_named(string replaced, string replacement, string change) => Assert.Equal([change], Changes(replaced, replacement));

    [Fact]
    public async Task A_change_that_matters_is_a_typed_error_and_nothing_runs()
    {
        var problem = """{"status":412,"code":"WEIR2023","detail":"…","contract":{"service":"Deliveries","operations":[{"name":"Next","routes":[{"verbs":["POST"],"path":"/Deliveries/Next"}],"parameters":[{"name":"zone","in":"value","type":"int32"}],"result":{"kind":"value","type":"Delivery"}}],"types":{"Delivery":{"enum":["Other","Post","Courier"]}}}}""";
        var error = await Assert.ThrowsAsync<ContractChangedException>(async () => await Answering(HttpStatusCode.PreconditionFailed, problem).Next(Cancel));
        Assert.Equal(["the parameter 'zone' is new, and must be sent"], error.Changes);
        Assert.Equal(("Deliveries/Next", false, WeirCodes.ContractChanged), (error.Operation, error.IsMissing, error.Code));
    }

    [Theory]
    [InlineData("")]
    [InlineData("""{"status":404,"code":"WEIR2002","detail":"There is no operation Deliveries/Next."}""")]
    public async Task An_operation_that_the_server_does_not_have_is_the_same_error(string answer)
    {
        var error = await Assert.ThrowsAsync<ContractChangedException>(async () => await Answering(HttpStatusCode.NotFound, answer).Next(Cancel));
        Assert.True(error.IsMissing);
    }

    [Fact]
    public async Task A_contract_that_no_class_serves_is_missing_on_a_real_server() =>
        Assert.True((await Assert.ThrowsAsync<ContractChangedException>(async () => await host.Client<IDeliveries>().Next(Cancel))).IsMissing);

    private static IReadOnlyList<string> Changes(string replaced, string replacement)
    {
        Assert.Contains(replaced, Before, StringComparison.Ordinal);
        var after = replaced.Length == 0 ? Before : Before.Replace(replaced, replacement, StringComparison.Ordinal);
        return ContractComparison.FindForClient("Find", ContractJson.Parse(Before), ContractJson.Parse(after));
    }

    private static IDeliveries Answering(HttpStatusCode status, string body) =>
        WeirClient.Create<IDeliveries>(new HttpClient(new Fixed(status, body)) { BaseAddress = new Uri("http://changed.example") });

    private sealed class Fixed(HttpStatusCode status, string body) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(new HttpResponseMessage(status) { Content = new StringContent(body, Encoding.UTF8, "application/problem+json") });
    }
}
