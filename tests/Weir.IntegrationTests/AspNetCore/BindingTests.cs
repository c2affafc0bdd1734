using System.Globalization;
using System.Net;
using System.Text;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Arguments as they come over a real connection; the tables of every spelling are in the unit tests.</summary>
public sealed class BindingTests
{
    private static readonly Operation Add = Probe.Result(
        "Add", ResultKind.Value, static (a, _) => (int)a["x"]! + (int)a["y"]!, [Probe.Int("x"), Probe.Int("y")], Verbs.Get | Verbs.Post | Verbs.Put | Verbs.Delete);

    private static readonly Operation Join = Probe.Result(
        "Join", ResultKind.Text, static (a, _) => $"{Joined(a, "a")}|{Joined(a, "b")}", [Probe.Texts("a"), Probe.Texts("b")]);

    private static readonly Operation Store = Probe.Result(
        "Store", ResultKind.Text, static (a, _) => $"{a["order"]} {a["n"]}", [Probe.Body("order"), Probe.Int("n")], Verbs.Post);

    private static readonly Operation Size = Probe.Result(
        "Size", ResultKind.Text, static (a, _) => Describe((ReadOnlyMemory<byte>)a["data"]!), [Probe.Raw("data")], Verbs.Post);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("GET", "/Probe/Add?y=2&x=1", null, null, "3")]
    [InlineData("GET", "/Probe/Add?y=2&x=1", "text/xml", "<ignored/>", "3")]
    [InlineData("POST", "/Probe/Add?y=2", "application/x-www-form-urlencoded", "x=1", "3")]
    [InlineData("PUT", "/Probe/Add", "application/x-www-form-urlencoded; charset=utf-8", "x=1&y=2", "3")]
    [InlineData("POST", "/Probe/Add?y=2", "application/json", "{\"x\":1}", "3")]
    [InlineData("DELETE", "/Probe/Add?y=2&x=1", null, null, "3")]
    [InlineData("POST", "/Probe/Join?a=1&b=2&a=3", null, null, "1,3|2")]
    [InlineData("GET", "/Probe/Join", null, null, "|")]
    [InlineData("POST", "/Probe/Store?n=5", "application/vnd.order+json", " {\"id\": 7} ", "{\"id\": 7} 5")]
    [InlineData("POST", "/Probe/Size", "text/anything", "ü", "2 C3 BC")]
    [InlineData("POST", "/Probe/Size", null, "", "0")]
    [InlineData("POST", "/Probe/Size?data=AP8=", null, "", "2 00 FF")]
    public async Task Arguments_come_from_everywhere(string verb, string path, string? mediaType, string? body, string answer)
    {
        await using var host = await WeirHost.StartAsync(Add, Join, Store, Size);
        using var response = await SendAsync(host.Client, verb, path, mediaType, body);
        Assert.Equal(answer, await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Theory]
    [InlineData("GET", "/Probe/Add", null, null, "x request missing;y request missing")]
    [InlineData("GET", "/Probe/Add?x=a&y=%ff", null, null, "y query malformed;x query invalid")]
    [InlineData("GET", "/Probe/Add?x=1&x=2&Y=3&y=4", null, null, "x query duplicate;y query duplicate")]
    [InlineData("POST", "/Probe/Add?x=1", "application/json", "{\"x\":1,\"y\":null}", "x body duplicate;y body null")]
    [InlineData("POST", "/Probe/Add?x=1", "application/x-www-form-urlencoded", "X=1", "x form duplicate;y request missing")]
    [InlineData("POST", "/Probe/Add?x=z", "application/json", "{\"y\":", "x query invalid;$ body malformed")]
    [InlineData("POST", "/Probe/Add", "application/json", "null", "$ body null")]
    [InlineData("POST", "/Probe/Store", "application/json", "[1]", "n request missing;order body invalid")]
    [InlineData("POST", "/Probe/Store", "application/json", "null", "n request missing;order body null")]
    [InlineData("POST", "/Probe/Store?n=1", "application/json", "", "order request missing")]
    [InlineData("GET", "/Probe/Size", null, null, "405")]
    public async Task Everything_wrong_is_in_one_problem(string verb, string path, string? mediaType, string? body, string errors)
    {
        await using var host = await WeirHost.StartAsync(Add, Join, Store, Size);
        using var response = await SendAsync(host.Client, verb, path, mediaType, body);
        if (errors == "405")
        {
            await response.ReadProblemAsync(405, WeirCodes.MethodNotAllowed);
            return;
        }

        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(errors.Split(';').Order(), problem.Errors().Order());
    }

    [Theory]
    [InlineData(60, 200)]
    [InlineData(70, 400)]
    public async Task Json_has_an_end_to_its_depth(int depth, int status)
    {
        await using var host = await WeirHost.StartAsync(Add);
        var body = $"{{\"x\":1,\"y\":2,\"z\":{new string('[', depth)}{new string(']', depth)}}}";
        using var response = await SendAsync(host.Client, "POST", "/Probe/Add", "application/json", body);
        Assert.Equal(status, (int)response.StatusCode);
    }

    [Fact]
    public async Task Unknown_arguments_are_refused_by_option()
    {
        await using var host = await WeirHost.StartAsync(static options => options.RefuseUnknownArguments = true, Add);
        using var response = await SendAsync(host.Client, "POST", "/Probe/Add?x=1&y=2&q=3", "application/json", "{\"b\":1}");
        var problem = await response.ReadProblemAsync(400, WeirCodes.BadArguments);
        Assert.Equal(["q query unknown", "b body unknown"], problem.Errors());
    }

    [Fact]
    public async Task A_body_of_megabytes_arrives_whole_while_others_come_and_go()
    {
        await using var host = await WeirHost.StartAsync(Size, Add);
        await Task.WhenAll(Enumerable.Range(0, 24).Select(async n =>
        {
            var data = new byte[(n + 1) * 150_000];
            new Random(n).NextBytes(data);
            using var content = new ByteArrayContent(data);
            using var response = await host.Client.PostAsync("/Probe/Size", content, Cancel);
            Assert.Equal(Describe(data), await response.Content.ReadAsStringAsync(Cancel));
            Assert.Equal("3", await host.Client.GetStringAsync("/Probe/Add?x=1&y=2", Cancel));
        }));
    }

    private static async Task<HttpResponseMessage> SendAsync(HttpClient client, string verb, string path, string? mediaType, string? body)
    {
        using var request = new HttpRequestMessage(new HttpMethod(verb), path);
        if (body is not null)
        {
            request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
            request.Content.Headers.TryAddWithoutValidation("Content-Type", mediaType);
        }

        return await client.SendAsync(request, Cancel);
    }

    private static string Joined(Dictionary<string, object?> arguments, string name) => string.Join(',', (List<string>?)arguments.GetValueOrDefault(name) ?? []);

    private static string Describe(ReadOnlyMemory<byte> data) => data.Length > 16
        ? string.Create(CultureInfo.InvariantCulture, $"{data.Length} {Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(data.Span))}")
        : string.Create(CultureInfo.InvariantCulture, $"{data.Length} {string.Join(' ', data.ToArray().Select(static b => b.ToString("X2", CultureInfo.InvariantCulture)))}").TrimEnd();
}
