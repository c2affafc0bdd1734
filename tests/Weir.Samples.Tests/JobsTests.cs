using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jobs;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Weir.Samples.Tests;

public sealed class JobsTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("weir-jobs-").FullName;
    private WebApplicationFactory<Receipt> _application = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _application = Start();
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_report_is_read_page_by_page_from_any_index()
    {
        using var client = _application.CreateClient();
        var job = await SubmitReportAsync(client, "acme", 5);
        Assert.Equal(Enumerable.Range(1, 5).Select(static page => $"acme: page {page} of 5, attempt 1"), await PagesAsync(client, job));
        Assert.Equal(["acme: page 5 of 5, attempt 1"], await PagesAsync(client, job, last: 3));
        Assert.Equal(("Reports/Build", "succeeded", 5), await FindAsync(client, job));
    }

    [Fact]
    public async Task A_report_whose_worker_ends_continues_behind_its_last_page()
    {
        using var client = _application.CreateClient();
        var job = await SubmitReportAsync(client, "unlucky", 4);
        Assert.Equal(
            ["unlucky: page 1 of 4, attempt 1", "unlucky: page 2 of 4, attempt 1", "unlucky: page 3 of 4, attempt 2", "unlucky: page 4 of 4, attempt 2"],
            await PagesAsync(client, job));
    }

    // What the first page of the guide shows, without an endpoint of the application.
    [Fact]
    public async Task A_payment_is_submitted_by_a_request_and_its_receipt_waited_for()
    {
        using var client = _application.CreateClient();
        foreach (var isReplayed in (bool[])[false, true])
        {
            using var response = await SendAsync(client, "/Payments/Pay", new { customer = "acme", invoice = "h-1", amount = 9.99m }, ("Prefer", "respond-async, wait=60"), ("Idempotency-Key", "h-1"));
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.Equal(new Receipt("h-1", 9.99m, 3), await response.Content.ReadFromJsonAsync<Receipt>(Cancel));
            Assert.Equal(isReplayed, response.Headers.Contains("Idempotent-Replayed"));
        }
    }

    [Fact]
    public async Task A_payment_is_repeated_after_exceptions_and_made_once_for_an_invoice()
    {
        using var client = _application.CreateClient();
        var id = await SubmitAsync(client, "/payments?customer=acme&invoice=i-1&amount=9.99");
        Assert.Equal(id, await SubmitAsync(client, "/payments?customer=acme&invoice=i-1&amount=9.99"));
        Assert.Equal(new Receipt("i-1", 9.99m, 3), await client.GetFromJsonAsync<Receipt>(new Uri($"/payments/{id}", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task Payments_of_one_customer_are_made_one_after_the_other()
    {
        using var client = _application.CreateClient();
        var ids = await Task.WhenAll(Enumerable.Range(1, 8).Select(invoice => SubmitAsync(client, $"/payments?customer=acme&invoice=c-{invoice}&amount=1")));

        // The bank refuses a payment that runs beside another one of its customer: that would be a further attempt.
        var receipts = await Task.WhenAll(ids.Select(id => client.GetFromJsonAsync<Receipt>(new Uri($"/payments/{id}", UriKind.Relative), Cancel)));
        Assert.Equal(Enumerable.Range(1, 8).Select(static invoice => new Receipt($"c-{invoice}", 1, 3)), receipts.Order(Comparer<Receipt?>.Create(static (a, b) => string.CompareOrdinal(a!.Invoice, b!.Invoice))));
    }

    [Fact]
    public async Task The_nightly_reports_are_due_at_three_in_Berlin_and_can_be_submitted_now()
    {
        using var client = _application.CreateClient();
        using var schedules = JsonDocument.Parse(await client.GetStringAsync(new Uri("/schedules", UriKind.Relative), Cancel));
        var nightly = Assert.Single(schedules.RootElement.EnumerateArray());
        Assert.Equal("Nightly/Submit", nightly.GetProperty("name").GetString());
        var next = TimeZoneInfo.ConvertTime(nightly.GetProperty("next").GetDateTimeOffset(), TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin"));
        Assert.Equal(new TimeSpan(3, 0, 0), next.TimeOfDay);

        var id = await SubmitAsync(client, "/nightly");
        var reports = await client.GetFromJsonAsync<Guid[]>(new Uri($"/nightly/{id}", UriKind.Relative), Cancel);
        var jobs = _application.Services.GetRequiredService<IJobs>();
        foreach (var (report, tenant) in reports!.Zip(["acme", "globex"]))
        {
            Assert.Equal([$"{tenant}: page 1 of 2, attempt 1", $"{tenant}: page 2 of 2, attempt 1"], await jobs.GetStream<string>(report).ItemsAsync(cancellationToken: Cancel).ToArrayAsync(Cancel));

            // Code has submitted them, for no caller.
            using var hidden = await client.GetAsync(Address($"/$jobs/{report}"), Cancel);
            Assert.Equal(HttpStatusCode.NotFound, hidden.StatusCode);
        }
    }

    [Fact]
    public async Task A_report_that_runs_is_cancelled_and_stays_cancelled_after_a_restart()
    {
        using var client = _application.CreateClient();
        var job = await SubmitReportAsync(client, "acme", 100_000);

        // It runs: its first page is there.
        using (var items = await client.GetAsync(Address($"{job}/items"), HttpCompletionOption.ResponseHeadersRead, Cancel))
        {
            Assert.Equal(HttpStatusCode.OK, items.StatusCode);
        }

        using var cancelled = await client.PostAsync(Address($"{job}/cancel"), null, Cancel);
        Assert.Contains(cancelled.StatusCode, (HttpStatusCode[])[HttpStatusCode.OK, HttpStatusCode.Accepted]);
        Assert.Equal("cancelled", (await FindAsync(client, job)).State);

        await _application.DisposeAsync();
        _application = Start();
        using var next = _application.CreateClient();
        Assert.Equal("cancelled", (await FindAsync(next, job)).State);
    }

    private WebApplicationFactory<Receipt> Start() => new WebApplicationFactory<Receipt>().WithWebHostBuilder(host => host.UseSetting("Store", Path.Combine(_folder, "jobs.db")));

    private static async Task<Guid> SubmitAsync(HttpClient client, string path)
    {
        using var response = await client.PostAsync(new Uri(path, UriKind.Relative), null, Cancel);
        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        using var job = await JsonDocument.ParseAsync(await response.Content.ReadAsStreamAsync(Cancel), cancellationToken: Cancel);
        return job.RootElement.GetProperty("id").GetGuid();
    }

    // The address of the job.
    private static async Task<string> SubmitReportAsync(HttpClient client, string tenant, int pages)
    {
        using var response = await SendAsync(client, "/Reports/Build", new { tenant, pages }, ("Prefer", "respond-async"));
        Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        return response.Headers.Location!.ToString();
    }

    private static async Task<string[]> PagesAsync(HttpClient client, string job, int? last = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Address($"{job}/items"));
        if (last is { } index)
        {
            request.Headers.Add("Last-Event-ID", $"{job[(job.LastIndexOf('/') + 1)..]}.{index}");
        }

        using var response = await client.SendAsync(request, Cancel);
        return (await response.Content.ReadFromJsonAsync<string[]>(Cancel))!;
    }

    // When it has ended.
    private static async Task<(string Kind, string State, int Items)> FindAsync(HttpClient client, string address)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, Address(address)) { Headers = { { "Prefer", "wait=60" } } };
        using var response = await client.SendAsync(request, Cancel);
        using var job = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
        return (job.RootElement.GetProperty("kind").GetString()!, job.RootElement.GetProperty("state").GetString()!, job.RootElement.GetProperty("items").GetInt32());
    }

    private static async Task<HttpResponseMessage> SendAsync<T>(HttpClient client, string path, T body, params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, Address(path)) { Content = JsonContent.Create(body) };
        foreach (var (name, value) in headers)
        {
            request.Headers.Add(name, value);
        }

        return await client.SendAsync(request, Cancel);
    }

    private static Uri Address(string path) => new(path, UriKind.Relative);
}
