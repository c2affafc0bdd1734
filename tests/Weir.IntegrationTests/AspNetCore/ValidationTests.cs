using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Validation attributes over HTTP and through typed proxies, wherever the operation runs.</summary>
public sealed class ValidationTests
{
    private const string Empty = "The field Lines must be a string or array type with a minimum length of '1'.";
    private const string Line = "The field Count must be between 1 and 9.";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("GET", "Inline?count=9&month=June", null, "month: expected April or May|count: The field count must be between 1 and 5.")]
    [InlineData("POST", "Lane", """{"lines":[],"note":"long"}""", "order.lines: " + Empty + "|order.note: The field Note must be a string with a maximum length of 3.")]
    [InlineData("POST", "Worker", """{"lines":[{"count":1},{"count":0}]}""", "order.lines[1].count: " + Line)]
    [InlineData("POST", "Worker", """{"lines":[{"count":1}],"note":"no"}""", "order.note: the note refuses the order|order.lines: the note refuses the order")]
    [InlineData("GET", "Stream.ndjson?count=0", null, "count: The field count must be between 1 and 5.")]
    [InlineData("POST", "Items", "[{\"count\":1},{\"count\":10}]", "lines[1].count: " + Line)]
    [InlineData("POST", "WorkerItems", "[{\"count\":1},{\"count\":10}]", "lines[1].count: " + Line)]
    [InlineData("POST", "Greeting?name=Eve", null, "name: unknown")]
    public async Task What_is_not_valid_is_400_beside_the_binding_errors(string verb, string path, string? body, string expected)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, verb, path, body);
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        var errors = problem.GetProperty("errors").EnumerateObject().SelectMany(static one => one.Value.EnumerateArray().Select(text => $"{one.Name}: {text.GetString()}"));
        Assert.Equal(expected, string.Join('|', errors));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Theory]
    [InlineData("GET", "Inline?count=5", null, "5 May")]
    [InlineData("POST", "Lane", """{"lines":[{"count":1}]}""", "1")]
    [InlineData("POST", "Worker", """{"lines":[{"count":1},{"count":9}]}""", "2")]
    [InlineData("GET", "Stream.json?count=2", null, "[0,1]")]
    [InlineData("POST", "WorkerItems", "[{\"count\":1},{\"count\":9}]", "10")]
    [InlineData("POST", "Greeting?name=Ann", null, "Ann")]
    public async Task What_is_valid_runs(string verb, string path, string? body, string answer)
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, verb, path, body);
        Assert.Equal(answer, await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task An_entry_of_the_list_has_the_message_in_place_of_what_was_expected()
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, "GET", "Inline?count=9", null);
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(
            """[{"name":"count","source":"query","reason":"validation","message":"The field count must be between 1 and 5."}]""",
            JsonSerializer.Serialize(problem.GetProperty("bindingErrors")));
        Assert.Equal("The argument is not valid: count (query): The field count must be between 1 and 5.", problem.GetProperty("detail").GetString());
    }

    [Fact]
    public async Task An_attribute_that_throws_is_an_error_of_the_server()
    {
        await using var host = await StartAsync();
        using var response = await SendAsync(host, "POST", "Throwing?x=1", null);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Contains(host.Log.Lines, static line => line.Level == LogLevel.Error);
    }

    [Fact]
    public async Task A_call_from_code_is_validated_before_it_is_sent_to_a_worker()
    {
        await using var application = new Application();
        var validated = application.Get<IValidatedClient>();

        await AssertAsync("count (code): The field count must be between 1 and 5.", async () => await validated.Inline(0, Month.May, Cancel));
        await AssertAsync($"order.lines (code): {Empty}", async () => await validated.Lane(new ValidatedOrder([]), Cancel));
        await AssertAsync($"order.lines[0].count (code): {Line}", async () => await validated.Worker(new ValidatedOrder([new(0)]), Cancel));
        await AssertAsync("count (code): The field count must be between 1 and 5.", async () => await validated.Stream(9, Cancel).ToListAsync(Cancel));
        await AssertAsync($"lines[1].count (code): {Line}", async () => await validated.Items(Lines(), Cancel));
        await AssertAsync($"lines[1].count (code): {Line}", async () => await validated.WorkerItems(Lines(), Cancel));
        Assert.Equal("5 May", await validated.Inline(5, Month.May, Cancel));
        Assert.Equal("5 May", await validated.Inline(5, Month.May, Cancel));
        Assert.Equal(1, await validated.Worker(new ValidatedOrder([new(1)]), Cancel));
        await AssertAsync("count (code): The field count must be between 1 and 5.", async () => await validated.Inline(0, Month.May, Cancel));
    }

    private static async IAsyncEnumerable<ValidatedLine> Lines()
    {
        yield return new ValidatedLine(1);
        await Task.Yield();
        yield return new ValidatedLine(10);
    }

    private static async Task AssertAsync(string error, Func<Task> call) =>
        Assert.Equal(error, Assert.Single((await Assert.ThrowsAsync<BindingException>(call)).Errors).ToString());

    private static async Task<HttpResponseMessage> SendAsync(WeirHost host, string verb, string path, string? body)
    {
        using var request = new HttpRequestMessage(new HttpMethod(verb), "/Validated/" + path);
        request.Content = body is null ? null : new StringContent(body, Encoding.UTF8, "application/json");
        return await host.Client.SendAsync(request, Cancel);
    }

    private static Task<WeirHost> StartAsync() => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = Generated.ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options),
        Services = static builder => builder.Services.AddSingleton(new KnownNames(["Ann"])),
    });
}
