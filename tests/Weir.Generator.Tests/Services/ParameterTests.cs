using System.Globalization;
using System.Reflection;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>What operations take: every scalar, lists, bytes, objects, and how a client declares them.</summary>
public sealed class ParameterTests
{
    private static readonly Served Served = Served.From(
        """
        using Weir;
        namespace Sample;

        public sealed record Person(string Name);
        public record struct Spot(int X);

        [Service] public sealed class All
        {
            public void Scalars(bool a, byte b, sbyte c, short d, ushort e, int f, uint g, long h, ulong i, float j, double k, decimal l, char m, string n,
                Guid o, DateTime p, DateTimeOffset q, DateOnly r, TimeOnly s, TimeSpan t, DayOfWeek u) { }

            public void Nullables(bool? a, int? b, string? c, Guid? d, DayOfWeek? e, DateOnly? f, byte[]? g) { }

            public void Lists(int[] a, List<string> b, IReadOnlyList<Guid> c, IEnumerable<DayOfWeek> d, int?[] e, string?[] f, ICollection<double>? g, byte[][] h) { }

            public void NullableLists(int[]? a, List<string>? b = null, IReadOnlyList<string?>? c = default, params int[] rest) { }

            public void Body(Person person, int x) { }

            public void Members(Person one, Person? two, Spot three, Spot? four, int x) { }

            public void List(Person[] people, int x) { }

            public void Grid(int[][] grid) { }

            public void Raw(int x, byte[] data, string? note = null) { }

            public void Memory(ReadOnlyMemory<byte> data) { }

            public void Words(int @class, string @event, bool reader, int seen, int json, int writer, int service, int cancellationToken, int Value, int Operation) { }

            public void Literals(string a = "x\"\\\r\n\0\u2028é", char b = '\\', float c = float.NaN, double d = double.NegativeInfinity, float e = 1e-10f, decimal f = -0.10m,
                DayOfWeek g = (DayOfWeek)(-1), DayOfWeek? h = null, long i = long.MinValue, uint j = uint.MaxValue, string k = null!, Spot l = default, TimeSpan m = default,
                ulong n = ulong.MaxValue, byte o = 255, int? p = 5, bool q = true, double r = 0.1, string? s = null) { }

            public int Last(CancellationToken one, int ct, OperationContext context, CancellationToken two, params int[] rest) =>
                (one == two ? 1 : 0) + (context is null ? 0 : 2) + rest.Length + ct;

            public int Optional([Microsoft.AspNetCore.Mvc.FromServices] IServiceProvider? services, [Microsoft.AspNetCore.Mvc.FromServices] IComparable? missing = null) => services is not null && missing is null ? 1 : 0;

            [Operation("do-it")] public void Overloaded(int x) { }

            [Operation("do-it-too")] public void Overloaded(string x) { }
        }
        """);

    [Fact]
    public void Every_scalar_reads_the_same_from_text_and_JSON()
    {
        (string Name, string Text, string Json)[] values =
        [
            ("a", "True", "true"), ("b", "255", "255"), ("c", "-128", "-128"), ("d", "-1", "-1"), ("e", "65535", "65535"), ("f", "-5", "-5"), ("g", "5", "5"), ("h", "-9", "-9"),
            ("i", "18446744073709551615", "18446744073709551615"), ("j", "1.5", "1.5"), ("k", "-1e-3", "-0.001"), ("l", "1.50", "1.50"), ("m", "é", "\"é\""), ("n", "a b", "\"a b\""),
            ("o", "11111111-2222-3333-4444-555555555555", "\"11111111-2222-3333-4444-555555555555\""), ("p", "2026-01-31T12:00:00Z", "\"2026-01-31T12:00:00Z\""),
            ("q", "2026-01-31T12:00:00+01:00", "\"2026-01-31T12:00:00+01:00\""), ("r", "2026-01-31", "\"2026-01-31\""), ("s", "12:00:00", "\"12:00:00\""), ("t", "1.02:03:04", "\"1.02:03:04\""),
            ("u", "monday", "\"Monday\""),
        ];
        var json = "{" + string.Join(',', values.Select(static one => $"\"{one.Name}\":{one.Json}")) + "}";

        Assert.Equal(json, Served.Query("All/Scalars", [.. values.Select(static one => (one.Name, one.Text))]).Good().Values);
        Assert.Equal(json, Served.Json("All/Scalars", json).Good().Values);
    }

    [Fact]
    public void Absent_nullables_are_null_and_so_is_JSON_null()
    {
        const string Nulls = """{"a":null,"b":null,"c":null,"d":null,"e":null,"f":null}""";

        Assert.Equal(Nulls, Served.Query("All/Nullables").Good().Values);
        Assert.Equal(Nulls, Served.Json("All/Nullables", Nulls).Good().Values);
    }

    [Fact]
    public void Lists_are_read_from_repeated_text_and_from_JSON_arrays()
    {
        const string Json = """{"a":[1],"b":["x","y"],"c":[],"d":["Monday"],"e":[1,null],"f":[null,"z"],"g":[],"h":["AQ=="]}""";

        Assert.Equal(Json, Served.Json("All/Lists", Json).Good().Values);
        Assert.Equal(
            """{"a":[1],"b":["x","y"],"c":[],"d":[],"e":[2],"f":[],"g":null,"h":[]}""",
            Served.Query("All/Lists", ("a", "1"), ("b", "x"), ("e", "2"), ("b", "y")).Good().Values);
    }

    [Theory]
    [InlineData("\"a\":null", "a: null")]
    [InlineData("\"a\":[1,null]", "a[1]: null")]
    [InlineData("\"a\":1", "a: invalid")]
    [InlineData("\"a\":[1],\"A\":[2]", "a: duplicate")]
    [InlineData("\"x\":1", "a: missing")]
    public void A_list_that_may_not_be_null_stands_in_JSON(string member, string reason) =>
        Assert.Equal([reason], Served.Json("All/Lists", $$"""{{{member}},"b":[],"c":[],"d":[],"e":[],"f":[],"h":[]}""").Reasons);

    [Fact]
    public void A_list_that_may_be_null_is_null_where_it_is_absent_or_null()
    {
        Assert.Equal("""{"a":null,"b":null,"c":null,"rest":[]}""", Served.Query("All/NullableLists").Good().Values);
        Assert.Equal("""{"a":null,"b":null,"c":null,"rest":[]}""", Served.Json("All/NullableLists", """{"a":null,"b":null}""").Good().Values);
        Assert.Equal("""{"a":[1],"b":[],"c":["x",null],"rest":[2]}""", Served.Json("All/NullableLists", """{"a":[1],"b":[],"c":["x",null],"rest":[2]}""").Good().Values);
        Assert.Equal("""{"a":[1,2],"b":["x"],"c":null,"rest":[]}""", Served.Query("All/NullableLists", ("a", "1"), ("b", "x"), ("a", "2")).Good().Values);
    }

    [Theory]
    [InlineData("All/Body", "Body", "Value")]
    [InlineData("All/Members", "Value", "Value", "Value", "Value", "Value")]
    [InlineData("All/List", "Body", "Value")]
    [InlineData("All/Grid", "Body")]
    [InlineData("All/Raw", "Value", "Raw", "Value")]
    public void Objects_and_bytes_decide_what_the_body_is(string operation, params string[] sources) =>
        Assert.Equal(sources, Served.Operation(operation).Parameters.Select(static one => one.Source.ToString()));

    [Fact]
    public void Several_objects_are_members_of_the_body() =>
        Assert.Equal(
            """{"one":{"name":"a"},"two":null,"three":{"x":1},"four":null,"x":2}""",
            Served.Json("All/Members", """{"one":{"name":"a"},"three":{"x":1},"x":2}""").Good().Values);

    [Fact]
    public void A_list_of_objects_is_a_body_of_its_own() =>
        Assert.Equal(
            """{"people":[{"name":"a"}],"x":1}""",
            Served.Read("All/List", Argument.Text("x", "1"), Argument.Json("people", """[{"name":"a"}]""")).Good().Values);

    [Fact]
    public void Bytes_are_the_body_as_it_is_or_base64()
    {
        var binding = Served.Read("All/Raw", Argument.Raw("data", [1, 2]), Argument.Text("x", "1")).Good();
        using var writer = new ArgumentWriter();
        binding.Call.WriteArguments(writer);

        Assert.Equal("""{"x":1,"note":null}""", binding.Values);
        Assert.Equal(1, writer.Raw[0].Parameter);
        Assert.Equal([1, 2], writer.Raw[0].Bytes.ToArray());
        Assert.Empty(Served.Query("All/Memory", ("data", "AQI=")).Reasons);
        Assert.Equal(["data: missing"], Served.Query("All/Memory").Reasons);
        Assert.Equal("bytes as the request's body", Served.Query("All/Memory").Errors[0].Expected);
    }

    [Fact]
    public void Names_may_be_keywords_and_names_of_the_generated_code() =>
        Assert.Equal(
            """{"class":1,"event":"e","reader":true,"seen":1,"json":2,"writer":3,"service":4,"cancellationToken":5,"Value":6,"Operation":7}""",
            Served.Json("All/Words", """{"class":1,"event":"e","reader":true,"seen":1,"json":2,"writer":3,"service":4,"cancellationToken":5,"value":6,"operation":7}""").Good().Values);

    [Fact]
    public async Task Tokens_contexts_and_services_may_stand_anywhere()
    {
        Assert.Equal("9", await Served.Respond("All/Last", """{"ct":4,"rest":[1,2]}"""));
        Assert.Equal("1", await Served.Respond("All/Optional", "{}"));
    }

    [Fact]
    public void A_client_declares_every_default_as_it_was()
    {
        var client = Client();
        var original = client.Assembly.GetType("Sample.All")!.GetMethod("Literals")!.GetParameters();
        var copied = client.GetMethod("Literals")!.GetParameters();

        Assert.Equal(original.Select(static one => (one.Name, one.DefaultValue)), copied.SkipLast(1).Select(static one => (one.Name, one.DefaultValue)));
    }

    [Fact]
    public void A_binder_uses_every_default_as_it_was()
    {
        var call = Served.Query("All/Literals").Good().Call;
        var fields = call.GetType().GetFields(BindingFlags.Instance | BindingFlags.NonPublic).ToDictionary(static field => field.Name, field => field.GetValue(call));

        foreach (var parameter in Client().GetMethod("Literals")!.GetParameters().SkipLast(1))
        {
            var bound = fields["Argument_" + parameter.Name];
            Assert.Equal(parameter.DefaultValue ?? (bound is { } value && value.GetType().IsValueType ? Activator.CreateInstance(value.GetType()) : null), bound);
        }
    }

    [Fact]
    public void A_client_ends_in_a_token_of_a_free_name()
    {
        var parameters = Client().GetMethod("Last")!.GetParameters();

        Assert.Equal(["ct", "rest", "ct_"], parameters.Select(static one => one.Name));
        Assert.True(parameters[1].HasDefaultValue);
    }

    [Fact]
    public async Task A_client_may_leave_out_a_params_array()
    {
        var invoker = new LocalInvoker(NoServices.Instance);
        var client = Served.Catalog.Proxies.Single().Create(invoker);

        Assert.Equal(7, await (ValueTask<int>)Client().GetMethod("Last")!.Invoke(client, BindingFlags.OptionalParamBinding | BindingFlags.InvokeMethod, null, [4, null, CancellationToken.None], CultureInfo.InvariantCulture)!);
    }

    [Fact]
    public void Names_that_are_no_CSharp_get_methods_that_are()
    {
        Assert.Equal("All/do-it", Served.Operation("All/do-it").FullName);
        Assert.NotNull(Client().GetMethod("do_it"));
        Assert.NotNull(Client().GetMethod("do_it_too"));
    }

    private static Type Client() => Served.Catalog.Proxies.Single().Contract;
}
