using System.Globalization;
using System.Reflection;
using System.Text;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Behaviour;

/// <summary>What generated code does: binding, running, writing, proxies.</summary>
public sealed class BehaviourTests
{
    private const string Id = "11111111-2222-3333-4444-555555555555";

    private readonly Served _served = new(SampleServices.Catalog);
    private readonly Forecasts _services = new(SampleServices.Catalog.GetType().Assembly);

    [Fact]
    public void All_faults_of_a_call_are_collected()
    {
        var binding = _served.Query("Weather/Forget", ("id", "x"), ("fruit", "pear"));

        Assert.Equal(["id: invalid", "fruit: invalid"], binding.Reasons);
        Assert.Equal("Apple, Orange or Grape", binding.Errors[1].Expected);
        Assert.All(binding.Errors, static error => Assert.Equal("query", error.Source));
    }

    [Fact]
    public void Missing_values_are_faults_of_the_request()
    {
        var binding = _served.Query("Weather/Total");

        Assert.Equal(["order: missing", "factor: missing"], binding.Reasons);
        Assert.Equal("request", binding.Errors[0].Source);
        Assert.Equal("a JSON object", binding.Errors[0].Expected);
    }

    [Fact]
    public void Absent_optionals_get_their_defaults() =>
        Assert.Equal("""{"days":100}""", _served.Query("Weather/Next").Good().Values);

    [Fact]
    public void Names_ignore_case() =>
        Assert.Equal("""{"days":3}""", _served.Query("Weather/Next", ("DAYS", "3")).Good().Values);

    [Fact]
    public void One_value_twice_is_a_fault() =>
        Assert.Equal(["days: duplicate"], _served.Query("Weather/Next", ("days", "3"), ("days", "4")).Reasons);

    [Fact]
    public void One_value_in_two_places_is_a_fault() =>
        Assert.Equal(["days: duplicate"], _served.Read("Weather/Next", Argument.Text("days", "3"), Argument.Json("days", "4")).Reasons);

    [Fact]
    public void Numbers_in_strings_are_refused() =>
        Assert.Equal(["days: invalid"], _served.Json("Weather/Next", """{"days":"3"}""").Reasons);

    [Fact]
    public void Lists_gather_what_comes_several_times()
    {
        var binding = _served.Query("Weather/Forget", ("id", Id), ("tags", "a"), ("tags", ""), ("fruit", "GRAPE"));

        Assert.Equal($$"""{"id":"{{Id}}","fruit":"Grape","tags":["a",""]}""", binding.Good().Values);
    }

    [Fact]
    public void Lists_are_empty_when_nothing_came() =>
        Assert.Equal($$"""{"id":"{{Id}}","fruit":null,"tags":[]}""", _served.Query("Weather/Forget", ("id", Id)).Good().Values);

    [Fact]
    public void A_bad_element_is_named_by_its_index() =>
        Assert.Equal(
            ["order.amounts[1]: invalid", "order.forecasts[0].temperatureC: null", "order.forecasts[0].date: missing"],
            _served.Json("Weather/Total", """{"order":{"fruit":2,"amounts":[1,"2",3],"forecasts":[{"temperatureC":null}]},"factor":1}""").Reasons);

    [Fact]
    public void An_object_comes_from_the_body_and_the_rest_from_the_query()
    {
        var binding = _served.Read(
            "Weather/Total",
            Argument.Text("factor", "3"),
            Argument.Json("order", """{"fruit":"apple","amounts":[1,2],"forecasts":[{"date":"2026-01-31","temperatureC":1}]}"""));

        Assert.Equal(
            """{"order":{"fruit":"Apple","amounts":[1,2],"forecasts":[{"date":"2026-01-31","temperatureC":1,"summary":null}],"price":null},"factor":3}""",
            binding.Good().Values);
    }

    [Fact]
    public void An_object_cannot_be_text() =>
        Assert.Equal(["order: invalid"], _served.Query("Weather/Total", ("order", "{}"), ("factor", "1")).Reasons);

    [Theory]
    [InlineData("\"orange\"", "Orange")]
    [InlineData("4", "Grape")]
    public void Enums_take_declared_names_and_numbers(string json, string name) =>
        Assert.Contains($"\"fruit\":\"{name}\"", _served.Json("Weather/Forget", $$"""{"id":"{{Id}}","fruit":{{json}},"tags":[]}""").Good().Values, StringComparison.Ordinal);

    [Theory]
    [InlineData("3")]
    [InlineData("\"3\"")]
    [InlineData("\"\"")]
    [InlineData("\"Apple,Orange\"")]
    [InlineData("true")]
    public void Enums_take_nothing_else(string json) =>
        Assert.Equal(["fruit: invalid"], _served.Json("Weather/Forget", $$"""{"id":"{{Id}}","fruit":{{json}},"tags":[]}""").Reasons);

    [Fact]
    public void Bytes_travel_beside_the_values()
    {
        var binding = _served.Read("Hasher/Hash", Argument.Raw("data", [1, 2, 3]));
        using var writer = new ArgumentWriter();
        binding.Good().Call.WriteArguments(writer);

        Assert.Equal(0, writer.Values.Length);
        Assert.Equal(1, writer.RawCount);
        Assert.Equal(0, writer.Raw[0].Parameter);
        Assert.Equal([1, 2, 3], writer.Raw[0].Bytes.ToArray());
    }

    [Fact]
    public async Task What_a_worker_binds_is_what_the_host_bound()
    {
        var host = _served.Read("Weather/Total", Argument.Text("factor", "3"), Argument.Json("order", """{"fruit":1,"amounts":[],"forecasts":[],"price":1.5}"""));
        var worker = _served.Json("Weather/Total", host.Good().Values);

        Assert.Equal(host.Values, worker.Good().Values);
        await _served.Run(worker, _services);
        Assert.Equal("0", Served.Result(worker.Call));
    }

    [Fact]
    public async Task Text_is_plain_or_a_JSON_string()
    {
        var call = await _served.Run(_served.Query("Weather/Legacy", ("ms", "5")), _services);

        Assert.Equal("done 5", Served.Result(call, ResultEncoding.Raw));
        Assert.Equal("\"done 5\"", Served.Result(call));
        Assert.Equal("\"done 5\"", _served.Travel(call));
    }

    [Fact]
    public async Task A_result_survives_its_way_through_a_worker()
    {
        var call = await _served.Run(_served.Query("Weather/Today", ("city", "Táipěi")), _services);

        Assert.Equal("""{"date":"2026-01-31","temperatureC":7,"summary":"Táipěi"}""", Served.Result(call));
        Assert.Equal(Served.Result(call), _served.Travel(call));
    }

    [Fact]
    public async Task Services_and_the_context_reach_the_method()
    {
        var binding = _served.Json("Weather/Total", """{"order":{"fruit":1,"amounts":[2,3],"forecasts":[]},"factor":2}""");

        Assert.Equal("10", Served.Result(await _served.Run(binding.Good(), _services)));
    }

    [Fact]
    public async Task A_service_that_is_missing_names_who_needed_it()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => _served.Run(_served.Query("Weather/Legacy", ("ms", "5"))));

        Assert.Contains("Weather needs", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Weather/Next")]
    [InlineData("Weather/NextBlocking")]
    public async Task Items_of_a_stream_are_written_and_read_one_by_one(string operation)
    {
        var call = await _served.Run(_served.Query(operation, ("days", "2")), _services);
        var streamed = (StreamCall)call;
        Assert.Equal(operation.EndsWith("Blocking", StringComparison.Ordinal), streamed.BlockingSource is not null);
        using var output = new PayloadWriter();
        if (streamed.Source is { } source)
        {
            Assert.True(await source.MoveNextAsync());
            source.WriteCurrent(output);
            await source.DisposeAsync();
        }
        else
        {
            Assert.True(streamed.BlockingSource!.MoveNext());
            streamed.BlockingSource.WriteCurrent(output);
            streamed.BlockingSource.Dispose();
        }

        Assert.Equal("""{"date":"2026-01-31","temperatureC":7,"summary":"0"}""", Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Fact]
    public async Task Items_of_a_request_reach_the_method_one_by_one()
    {
        var binding = _served.Query("Weather/Warmest", ("least", "-40")).Good();
        binding.Call.TakeItems(new ListedItems("""{"date":"2026-01-31","temperatureC":3}""", """{"date":"2026-02-01","temperatureC":9,"summary":"warm"}"""));

        Assert.Equal("9", Served.Result(await _served.Run(binding, _services)));
        Assert.Equal("""{"least":-40}""", binding.Values);
    }

    [Fact]
    public async Task An_item_that_does_not_read_is_named_by_its_index()
    {
        var items = new ListedItems("""{"date":"2026-01-31","temperatureC":3}""", """{"temperatureC":"9"}""");
        var binding = _served.Query("Weather/Warmest", ("least", "0")).Good();
        binding.Call.TakeItems(items);

        var error = await Assert.ThrowsAsync<BindingException>(() => _served.Run(binding, _services));

        Assert.Equal(["readings[1].temperatureC: invalid", "readings[1].date: missing"], error.Errors.Select(static error => $"{error.Name}: {error.Reason}"));
        Assert.All(error.Errors, static error => Assert.Equal("body", error.Source));
        Assert.True(items.IsStopped);
    }

    [Fact]
    public void Items_are_the_body_and_nothing_else() =>
        Assert.Equal(["readings: invalid"], _served.Query("Weather/Warmest", ("least", "1"), ("readings", "{}")).Reasons);

    [Fact]
    public async Task Items_of_a_request_survive_their_way_to_a_worker()
    {
        var host = _served.Query("Weather/Warmest", ("least", "0")).Good();
        var worker = _served.Json("Weather/Warmest", host.Values).Good();
        host.Call.TakeItems(new ListedItems("""{"date":"2026-01-31","temperatureC":3,"summary":"Táipěi"}"""));

        var sent = await ListedItems.Send(host.Call);
        worker.Call.TakeItems(new ListedItems([.. sent]) { From = "frame" });

        Assert.Equal("""{"date":"2026-01-31","temperatureC":3,"summary":"Táipěi"}""", Encoding.UTF8.GetString(sent[0].Bytes));
        Assert.Equal("3", Served.Result(await _served.Run(worker, _services)));
    }

    [Fact]
    public async Task Items_of_bytes_travel_raw_and_null_does_not()
    {
        var (proxy, invoker) = Proxy("IHasher");
        var method = Type("IHasher").GetMethod("Sizes")!;
        var parts = new byte[]?[] { [1, 2], null, [] }.ToAsyncEnumerable();

        var sizes = await ((IAsyncEnumerable<int>)method.Invoke(proxy, [parts, CancellationToken.None])!).ToListAsync(TestContext.Current.CancellationToken);
        var sent = await ListedItems.Send(invoker.Last!);

        Assert.Equal([2, -1, 0], sizes);
        Assert.Equal([(ResultEncoding.Raw, "\u0001\u0002"), (ResultEncoding.Json, "null"), (ResultEncoding.Raw, "")], sent.Select(static item => (item.Encoding, Encoding.UTF8.GetString(item.Bytes))));

        var worker = _served.Json("Hasher/Sizes", "{}").Good();
        worker.Call.TakeItems(new ListedItems([.. sent]));
        await _served.Run(worker, _services);
        Assert.Equal(sizes, await Ints((StreamCall)worker.Call));
    }

    [Fact]
    public async Task A_proxy_gives_its_arguments_and_its_token_to_the_invoker()
    {
        var (client, invoker) = Proxy("IWeatherClient");
        using var source = new CancellationTokenSource();
        var method = client.GetType().GetInterface("IWeatherClient")!.GetMethod("Total")!;
        var order = Some("Order", Enum.ToObject(Type("Fruit"), 1), Enumerable.Repeat(4, 1).ToArray(), Activator.CreateInstance(typeof(List<>).MakeGenericType(Type("Forecast"))), null);

        var result = await (ValueTask<int>)method.Invoke(client, [order, 2, source.Token])!;

        Assert.Equal(8, result);
        Assert.Equal("Weather/Total", invoker.Last!.Operation.FullName);
        Assert.Equal(source.Token, invoker.Token);
        Assert.Equal("""{"order":{"fruit":"Apple","amounts":[4],"forecasts":[],"price":null},"factor":2}""", new Binding(invoker.Last, []).Values);
    }

    [Fact]
    public void A_client_has_the_names_and_defaults_of_its_class_and_a_token_last()
    {
        var methods = Proxy("IWeatherClient").Client.GetType().GetInterface("IWeatherClient")!.GetMethods();

        Assert.Equal(["Today", "Next", "NextBlocking", "Legacy", "Total", "Forget", "Warmest"], methods.Select(static method => method.Name));
        Assert.Equal(100, methods[1].GetParameters()[0].DefaultValue);
        Assert.All(methods, static method => Assert.Equal("ct", method.GetParameters()[^1].Name));
        Assert.All(methods, static method => Assert.True(method.GetParameters()[^1].IsOptional));
        Assert.Equal(["order", "factor", "ct"], methods[4].GetParameters().Select(static parameter => parameter.Name));
    }

    [Fact]
    public async Task A_proxy_of_an_interface_is_that_interface()
    {
        var (proxy, invoker) = Proxy("IHasher");
        var contract = Type("IHasher");

        var hash = await (ValueTask<string>)contract.GetMethod("Hash")!.Invoke(proxy, [new ReadOnlyMemory<byte>([1, 2]), CancellationToken.None])!;
        var blocks = await ((IAsyncEnumerable<int>)contract.GetMethod("Blocks")!.Invoke(proxy, [3, CancellationToken.None])!).ToListAsync(TestContext.Current.CancellationToken);

        Assert.Equal("2", hash);
        Assert.Equal([0, 1, 2], blocks);
        Assert.Equal("Hasher/Blocks", invoker.Last!.Operation.FullName);
    }

    [Fact]
    public void Signatures_differ_from_operation_to_operation()
    {
        var signatures = _served.Catalog.Services.SelectMany(static service => service.Operations).Select(static operation => operation.Signature).ToList();

        Assert.Equal(signatures.Count, signatures.Distinct().Count());
    }

    [Fact]
    public void A_class_without_state_is_made_once()
    {
        Assert.Equal([false, true], _served.Catalog.Services.Select(static service => service.IsShared));
        Assert.Equal([true, false], _served.Catalog.Services.Select(static service => service.NeedsServices));
    }

    private static async Task<List<int>> Ints(StreamCall call)
    {
        var items = new List<int>();
        await using var source = call.Source!;
        while (await source.MoveNextAsync())
        {
            using var output = new PayloadWriter();
            source.WriteCurrent(output);
            items.Add(int.Parse(output.WrittenSpan, CultureInfo.InvariantCulture));
        }

        return items;
    }

    private (object Client, LocalInvoker Invoker) Proxy(string contract)
    {
        var invoker = new LocalInvoker(_services);
        return (_served.Catalog.Proxies.Single(one => one.Contract.Name == contract).Create(invoker), invoker);
    }

    private Type Type(string name) => _services.Assembly.GetType("Weir.Generator.Tests.Behaviour." + name)!;

    private object Some(string name, params object?[] arguments) =>
        Activator.CreateInstance(Type(name), BindingFlags.Default, null, arguments, CultureInfo.InvariantCulture)!;

    /// <summary>The one service that the classes need, as the generated assembly declares it.</summary>
    private sealed class Forecasts(Assembly assembly) : IServiceProvider
    {
        public Assembly Assembly { get; } = assembly;

        public object? GetService(Type serviceType) =>
            serviceType.Name == "IForecastSource" ? Activator.CreateInstance(Assembly.GetType("Weir.Generator.Tests.Behaviour.FixedForecasts")!) : null;
    }
}
