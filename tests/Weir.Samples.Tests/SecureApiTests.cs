using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Security.Claims;
using System.Security.Cryptography;
using System.Text.Json;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using SecureApi.Billing;
using Weir.Samples.Tests.Telemetry;

namespace Weir.Samples.Tests;

public sealed class SecureApiTests : IAsyncLifetime
{
    private const string Issuer = "test";

    private static readonly byte[] Key = RandomNumberGenerator.GetBytes(32);

    private readonly WebApplicationFactory<InvoiceBook> _application = new WebApplicationFactory<InvoiceBook>().WithWebHostBuilder(static host => host
        .UseSetting("Authentication:Schemes:Bearer:ValidIssuer", Issuer)
        .UseSetting("Authentication:Schemes:Bearer:SigningKeys:0:Issuer", Issuer)
        .UseSetting("Authentication:Schemes:Bearer:SigningKeys:0:Value", Convert.ToBase64String(Key)));

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Fact]
    public async Task A_request_without_a_token_is_401_with_a_problem()
    {
        using var client = _application.CreateClient();
        using var response = await GetAsync(client, "/invoices");
        await AssertProblemAsync(HttpStatusCode.Unauthorized, response);
        Assert.Equal("Bearer", response.Headers.WwwAuthenticate.Single().Scheme);
    }

    [Fact]
    public async Task A_token_that_is_expired_or_of_another_key_or_issuer_is_401()
    {
        using var client = _application.CreateClient();
        using var expired = await GetAsync(client, "/invoices", Token("ada", expires: DateTime.UtcNow.AddMinutes(-10)));
        await AssertProblemAsync(HttpStatusCode.Unauthorized, expired);
        Assert.Contains("invalid_token", expired.Headers.WwwAuthenticate.Single().Parameter, StringComparison.Ordinal);

        using var forged = await GetAsync(client, "/invoices", Token("ada", key: RandomNumberGenerator.GetBytes(32)));
        await AssertProblemAsync(HttpStatusCode.Unauthorized, forged);
        using var foreign = await GetAsync(client, "/invoices", Token("ada", issuer: "another"));
        await AssertProblemAsync(HttpStatusCode.Unauthorized, foreign);
    }

    [Fact]
    public async Task A_tenant_reads_its_own_invoices_and_learns_nothing_of_others()
    {
        using var client = _application.CreateClient();
        using var all = await GetAsync(client, "/invoices", Token("ada"));
        Assert.Equal("""[{"number":1,"customer":"Ada","amount":120,"currency":"Eur"}]""", await all.Content.ReadAsStringAsync(Cancel));
        using var other = await GetAsync(client, "/invoices/2", Token("ada"));
        using var none = await GetAsync(client, "/invoices/99", Token("ada"));
        await AssertProblemAsync(HttpStatusCode.NotFound, other);
        await AssertProblemAsync(HttpStatusCode.NotFound, none);

        using var globex = await GetAsync(client, "/invoices/2", Token("grace", tenant: "globex"));
        Assert.Equal(HttpStatusCode.OK, globex.StatusCode);
        using var without = await GetAsync(client, "/invoices", Token("eve", tenant: null));
        await AssertProblemAsync(HttpStatusCode.Forbidden, without);
    }

    [Theory]
    [InlineData("invoices:read", HttpStatusCode.Forbidden)]
    [InlineData("invoices:write", HttpStatusCode.Forbidden)]
    [InlineData("invoices:read invoices:write", HttpStatusCode.OK)]
    public async Task An_operation_needs_the_scopes_of_its_service_and_its_own(string scopes, HttpStatusCode expected)
    {
        using var client = _application.CreateClient();
        using var response = await PostAsync(client, "/invoices", Token("ada", scopes));
        Assert.Equal(expected, response.StatusCode);
        if (expected == HttpStatusCode.Forbidden)
        {
            await AssertProblemAsync(expected, response);
        }
        else
        {
            Assert.Equal("""{"number":3,"customer":"Ada","amount":5,"currency":"Eur"}""", await response.Content.ReadAsStringAsync(Cancel));
        }
    }

    [Fact]
    public async Task An_operation_that_allows_anonymous_callers_needs_no_token()
    {
        using var client = _application.CreateClient();
        Assert.Equal("""["Eur","Usd"]""", await client.GetStringAsync(new Uri("/invoices/currencies", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task A_user_over_the_limit_is_429_with_Retry_After_and_another_user_is_served()
    {
        await using var limited = _application.WithWebHostBuilder(static host => host.UseSetting("RateLimits:CallsPerMinute", "2"));
        using var client = limited.CreateClient();
        for (var call = 1; call <= 2; call++)
        {
            using var served = await GetAsync(client, "/invoices", Token("ada"));
            Assert.Equal(HttpStatusCode.OK, served.StatusCode);
        }

        using var refused = await GetAsync(client, "/invoices", Token("ada"));
        await AssertProblemAsync(HttpStatusCode.TooManyRequests, refused);
        Assert.InRange(refused.Headers.RetryAfter!.Delta!.Value.TotalSeconds, 1, 60);

        using var other = await GetAsync(client, "/invoices", Token("bob"));
        Assert.Equal(HttpStatusCode.OK, other.StatusCode);
    }

    [Theory]
    [InlineData("https://invoices.example", "https://invoices.example", HttpStatusCode.OK)]
    [InlineData("https://other.example", null, HttpStatusCode.Forbidden)]
    public async Task A_page_of_an_allowed_origin_may_call_and_its_preflight_needs_no_token(string origin, string? allowed, HttpStatusCode expected)
    {
        using var client = _application.CreateClient();
        using var preflight = new HttpRequestMessage(HttpMethod.Options, "/invoices")
        {
            Headers = { { "Origin", origin }, { "Access-Control-Request-Method", "POST" }, { "Access-Control-Request-Headers", "authorization,content-type" } },
        };
        using var permission = await client.SendAsync(preflight, Cancel);
        Assert.Equal(HttpStatusCode.NoContent, permission.StatusCode);
        Assert.Equal(allowed, AllowedOrigin(permission));

        using var response = await PostAsync(client, "/invoices", Token("ada", "invoices:read invoices:write"), ("Origin", origin));
        Assert.Equal(expected, response.StatusCode);
        Assert.Equal(allowed, AllowedOrigin(response));
    }

    [Fact]
    public async Task Health_is_for_everyone_and_the_figures_of_the_pool_for_operators()
    {
        using var client = _application.CreateClient();
        Assert.Equal("Healthy", await client.GetStringAsync(new Uri("/health", UriKind.Relative), Cancel));
        using var anonymous = await GetAsync(client, "/health/details");
        await AssertProblemAsync(HttpStatusCode.Unauthorized, anonymous);
        using var tenant = await GetAsync(client, "/health/details", Token("ada"));
        await AssertProblemAsync(HttpStatusCode.Forbidden, tenant);

        using var details = await GetAsync(client, "/health/details", Token("olga", scopes: "", tenant: null, role: "operator"));
        using var report = await JsonAsync(details);
        var weir = report.RootElement.EnumerateObject().Single().Value;
        Assert.Equal("Healthy", weir.GetProperty("status").GetString());
        Assert.Equal(2, weir.GetProperty("data").GetProperty("pools").GetProperty("previews").GetProperty("maxWorkers").GetInt32());
    }

    [Fact]
    public async Task The_document_says_which_operations_need_a_token_and_how_they_are_refused()
    {
        using var client = _application.CreateClient();
        using var response = await GetAsync(client, "/openapi/v1.json");
        using var document = await JsonAsync(response);
        var scheme = document.RootElement.GetProperty("components").GetProperty("securitySchemes").GetProperty("Bearer");
        Assert.Equal(("http", "bearer"), (scheme.GetProperty("type").GetString(), scheme.GetProperty("scheme").GetString()));

        var paths = document.RootElement.GetProperty("paths");
        foreach (var guarded in (JsonElement[])[paths.GetProperty("/invoices").GetProperty("post"), paths.GetProperty("/previews").GetProperty("post")])
        {
            Assert.True(guarded.GetProperty("security")[0].TryGetProperty("Bearer", out _));
            Assert.True(guarded.GetProperty("responses").TryGetProperty("401", out _));
            Assert.True(guarded.GetProperty("responses").TryGetProperty("403", out _));
        }

        var open = paths.GetProperty("/invoices/currencies").GetProperty("get");
        Assert.False(open.TryGetProperty("security", out _));
        Assert.False(open.GetProperty("responses").TryGetProperty("401", out _));

        Assert.Contains("swagger-ui", await client.GetStringAsync(new Uri("/swagger/index.html", UriKind.Relative), Cancel), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/openapi/v1.json")]
    [InlineData("/swagger/index.html")]
    public async Task In_production_there_is_no_document_and_no_page(string path)
    {
        await using var production = _application.WithWebHostBuilder(static host => host.UseEnvironment("Production"));
        using var client = production.CreateClient();
        using var response = await GetAsync(client, path);
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
    }

    [Fact]
    public async Task A_worker_continues_the_trace_with_its_baggage_and_gets_the_tenant_alone()
    {
        await using var collector = await OtlpCollector.StartAsync();
        await using var traced = _application.WithWebHostBuilder(host => host
            .UseSetting("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address.ToString())
            .UseSetting("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
            .UseSetting("OTEL_BSP_SCHEDULE_DELAY", "50")
            .UseSetting("OTEL_BLRP_SCHEDULE_DELAY", "50")
            // The caller decides what is recorded. The collector runs in this process, too: no spans of what it receives.
            .UseSetting("OTEL_TRACES_SAMPLER", "parentbased_always_off"));
        using var client = traced.CreateClient();
        const string Trace = "0af7651916cd43dd8448eb211c80319c", Caller = "b7ad6b7169203331";
        using var response = await PostAsync(client, "/previews", Token("ada"), ("traceparent", $"00-{Trace}-{Caller}-01"), ("baggage", "channel=web"));
        Assert.Equal("Invoice of acme\nTo Ada\n5 Eur\n", await response.Content.ReadAsStringAsync(Cancel));

        var spans = await collector.SpansAsync(Trace, count: 5, Cancel).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        var request = spans.Single(static span => span.ParentId == Caller);
        var waiting = spans.Single(static span => span.Name == "Previews/Render wait");
        var running = spans.Single(static span => span is { Name: "Previews/Render", Service: "secure-api" });
        var inWorker = spans.Single(static span => span is { Name: "Previews/Render", Service: "secure-api-worker" });
        var layout = spans.Single(static span => span.Name == "layout");
        Assert.Equal(("secure-api", request.Id, request.Id), (request.Service, waiting.ParentId, running.ParentId));
        Assert.Equal((running.Id, inWorker.Id), (inWorker.ParentId, layout.ParentId));
        Assert.Equal(("secure-api-worker", "web"), (layout.Service, layout.Attributes["app.channel"]));

        // Its log record came through the host's log and names the span that was current in the worker.
        var record = await collector.LogRecordAsync("rendering a preview for {Tenant}", Cancel).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal(("secure-api", Trace, layout.Id), (record.Service, record.TraceId, record.Attributes["SpanId"]));
    }

    private static string Token(
        string user, string scopes = "invoices:read", string? tenant = "acme", string? role = null, DateTime? expires = null, byte[]? key = null, string issuer = Issuer)
    {
        var claims = new List<Claim> { new("sub", user), new("scope", scopes) };
        claims.AddRange(tenant is null ? [] : [new Claim("tenant", tenant)]);
        claims.AddRange(role is null ? [] : [new Claim("role", role)]);
        var end = expires ?? DateTime.UtcNow.AddHours(1);
        return new JsonWebTokenHandler().CreateToken(new SecurityTokenDescriptor
        {
            Issuer = issuer,
            Audience = "http://localhost:5090",
            Subject = new ClaimsIdentity(claims),
            NotBefore = end.AddHours(-2),
            Expires = end,
            SigningCredentials = new SigningCredentials(new SymmetricSecurityKey(key ?? Key), SecurityAlgorithms.HmacSha256),
        });
    }

    private static async Task<HttpResponseMessage> GetAsync(HttpClient client, string path, string? token = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        return await client.SendAsync(request, Cancel);
    }

    private static async Task<HttpResponseMessage> PostAsync(HttpClient client, string path, string token, params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = JsonContent.Create(new { customer = "Ada", amount = 5 }) };
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        foreach (var (name, value) in headers)
        {
            request.Headers.Add(name, value);
        }

        return await client.SendAsync(request, Cancel);
    }

    private static string? AllowedOrigin(HttpResponseMessage response) =>
        response.Headers.TryGetValues("Access-Control-Allow-Origin", out var values) ? values.Single() : null;

    private static async Task AssertProblemAsync(HttpStatusCode status, HttpResponseMessage response)
    {
        Assert.Equal((status, "application/problem+json"), (response.StatusCode, response.Content.Headers.ContentType?.MediaType));
        using var problem = await JsonAsync(response);
        Assert.Equal((int)status, problem.RootElement.GetProperty("status").GetInt32());
    }

    private static async Task<JsonDocument> JsonAsync(HttpResponseMessage response) => JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
}
