using System.Globalization;
using System.Text;
using Weir.AspNetCore.Binding;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

public sealed class HttpArgumentReaderTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("?", "")]
    [InlineData("?a=1", "a=1")]
    [InlineData("?a=1&a=2&b=3", "a=1 a=2 b=3")]
    [InlineData("?a", "a=")]
    [InlineData("?a&b=", "a= b=")]
    [InlineData("?=1", "=1")]
    [InlineData("?&&a=1&&", "a=1")]
    [InlineData("?a=b=c==", "a=b=c==")]
    [InlineData("?a=b%3Dc", "a=b=c")]
    [InlineData("?a=1%262+3", "a=1&2 3")]
    [InlineData("?a=%2B", "a=+")]
    [InlineData("?%61+b=%e3%81%82%C3%bc", "a b=あü")]
    [InlineData("?a=%F0%9F%90%9F", "a=🐟")]
    [InlineData("?a=x%00y", "a=x\0y")]
    [InlineData("?a=1;b=2", "a=1;b=2")]
    public void Pairs_are_decoded_one_after_the_other(string query, string pairs) => Assert.Equal(pairs, Walk(query));

    [Theory]
    [InlineData("?a=%")]
    [InlineData("?a=%4")]
    [InlineData("?a=%zz")]
    [InlineData("?a=%ff")]
    [InlineData("?a=%e3%81")]
    [InlineData("?a=%e3%81x")]
    [InlineData("?a=%ed%a0%80")]
    [InlineData("?a=%c0%80")]
    [InlineData("?a=%f5%80%80%80")]
    [InlineData("?a=%e3+%81%82")]
    public void A_value_that_cannot_be_decoded_is_a_binding_error_and_nothing_else(string query) =>
        Assert.Equal("a query malformed", Bind(Scalars.String, "a", Started(query)));

    [Fact]
    public void A_name_that_cannot_be_decoded_is_a_binding_error_too()
    {
        var reader = Started("?%ff=1&a=2");
        Assert.Equal("%ff query malformed", Bind(Scalars.String, "a", reader));
    }

    // lightnode-cases X8, X9, X12: as far as strict rules keep them.
    [Theory]
    [InlineData("?X=10", "10")]
    [InlineData("?x=%2B1", "1")]
    [InlineData("?x=+1", "x query invalid")]
    [InlineData("?x=1+", "x query invalid")]
    [InlineData("?x=1,000", "x query invalid")]
    [InlineData("?x=1.0", "x query invalid")]
    [InlineData("?x=0x10", "x query invalid")]
    [InlineData("?x=99999999999", "x query invalid")]
    [InlineData("?x=", "x query invalid")]
    [InlineData("?x", "x query invalid")]
    [InlineData("?x=hoge", "x query invalid")]
    [InlineData("?x=1&x=1", "x query duplicate")]
    [InlineData("?x=1&X=2", "x query duplicate")]
    [InlineData("?y=1", "x request missing")]
    public void A_number_is_a_number(string query, string outcome) =>
        Assert.Equal(outcome, Bind(Scalars.Int32, "x", Started(query)));

    [Theory]
    [InlineData("?x=TRUE", "True")]
    [InlineData("?x=1", "x query invalid")]
    public void A_boolean_is_a_boolean(string query, string outcome) => Assert.Equal(outcome, Bind(Scalars.Boolean, "x", Started(query)));

    [Theory]
    [InlineData("?x=a", "a")]
    [InlineData("?x=ab", "x query invalid")]
    public void A_character_is_one(string query, string outcome) => Assert.Equal(outcome, Bind(Scalars.Char, "x", Started(query)));

    [Theory]
    [InlineData("?x=1000.5", "1000.5")]
    [InlineData("?x=1,000.5", "x query invalid")]
    [InlineData("?x=1e3", "1000")]
    public void A_fraction_has_no_group_separators(string query, string outcome) => Assert.Equal(outcome, Bind(Scalars.Decimal, "x", Started(query)));

    [Theory]
    [InlineData("?x", "")]
    [InlineData("?x=a=b", "a=b")]
    [InlineData("?x=", "")]
    [InlineData("?x=a%3Db", "a=b")]
    [InlineData("?x=a%26b+c", "a&b c")]
    public void Text_is_passed_unchanged(string query, string outcome) => Assert.Equal(outcome, Bind(Scalars.String, "x", Started(query)));

    [Fact]
    public void An_array_takes_every_value_of_its_name_from_one_source()
    {
        Assert.Equal("a,,b", BindArray(Started("?xs=a&xs=&XS=b")));
        Assert.Equal("", BindArray(Started("?y=1")));

        var twice = Started("?xs=a");
        twice.AddForm("xs=b".AsMemory());
        Assert.Equal("xs form duplicate", BindArray(twice));

        var json = Started("");
        json.AddJson("""{"xs":["a","b"]}"""u8.ToArray());
        Assert.Equal("a,b", BindArray(json));
    }

    [Fact]
    public void A_form_comes_after_the_query()
    {
        var reader = Started("?a=huga&b=nano&a=tako+tyop");
        reader.AddForm("b=zzz&c=413413&b=tama+negi".AsMemory());
        Assert.Equal("a=huga b=nano a=tako tyop b=zzz c=413413 b=tama negi", Walk(reader));
    }

    [Theory]
    [InlineData("""{"x":1}""", "1")]
    [InlineData("""{ "X" : 1 }""", "1")]
    [InlineData("""{"y":{"x":[1,2]},"x":1}""", "1")]
    [InlineData("""{"x":1,"x":1}""", "x body duplicate")]
    [InlineData("""{"x":"1"}""", "x body invalid")]
    [InlineData("""{"x":null}""", "x body null")]
    [InlineData("""{}""", "x request missing")]
    [InlineData("""[]""", "$ body invalid")]
    [InlineData("""null""", "$ body null")]
    [InlineData("""{"x":1""", "$ body malformed")]
    [InlineData("""{"x":1}}""", "$ body malformed")]
    [InlineData("""{"x":}""", "$ body malformed")]
    [InlineData("   ", "$ body malformed")]
    public void Members_of_a_json_body_are_arguments(string body, string outcome)
    {
        var reader = Started("");
        reader.AddJson(Encoding.UTF8.GetBytes(body));
        Assert.Equal(outcome, Bind(Scalars.Int32, "x", reader));
    }

    [Fact]
    public void A_name_in_query_and_body_is_a_duplicate()
    {
        var reader = Started("?x=1");
        reader.AddJson("""{"X":2}"""u8.ToArray());
        Assert.Equal("x body duplicate", Bind(Scalars.Int32, "x", reader));
    }

    [Fact]
    public void Raw_bytes_come_from_the_body_or_as_base64_from_the_query()
    {
        Assert.Equal("1,2", BindBytes("", [1, 2]));
        Assert.Equal("", BindBytes("", []));
        Assert.Equal("0,255", BindBytes("?data=AP8=", []));
        Assert.Equal("data body duplicate", BindBytes("?data=AP8=", [1]));
    }

    [Fact]
    public void Unknown_arguments_are_binding_errors_only_by_option()
    {
        Assert.Equal("1", Bind(Scalars.Int32, "x", Started("?x=1&y=2")));
        var strict = new HttpArgumentReader();
        strict.Start("?x=1&y=2", refuseUnknown: true);
        Assert.Equal("y query unknown", Bind(Scalars.Int32, "x", strict));
    }

    [Fact]
    public void A_reader_keeps_no_state_of_the_previous_request()
    {
        var reader = Started("?x=%ff&y=%41");
        reader.AddJson("{"u8.ToArray());
        Bind(Scalars.Int32, "x", reader);
        reader.Clear();

        reader.Start("?x=7", refuseUnknown: false);
        Assert.Equal("7", Bind(Scalars.Int32, "x", reader));
        reader.Start("", refuseUnknown: false);
        Assert.Equal("x request missing", Bind(Scalars.Int32, "x", reader));
    }

    private static HttpArgumentReader Started(string query)
    {
        var reader = new HttpArgumentReader();
        reader.Start(query, refuseUnknown: false);
        return reader;
    }

    private static string Walk(string query) => Walk(Started(query));

    private static string Walk(HttpArgumentReader reader)
    {
        var pairs = new List<string>();
        while (reader.MoveNext())
        {
            pairs.Add($"{reader.Name}={reader.Read(Scalars.String)}");
        }

        Assert.Equal(0, reader.Errors.Count);
        return string.Join(' ', pairs);
    }

    // The code that the generator writes for one parameter.
    private static string Bind<T>(Scalar<T> scalar, string name, HttpArgumentReader reader)
    {
        var seen = 0UL;
        var value = default(T);
        while (reader.MoveNext())
        {
            if (!reader.Is(name))
            {
                reader.SkipUnknown();
            }
            else if (reader.Begin(ref seen, 0, name))
            {
                value = reader.Read(scalar);
                reader.End(ref seen, 0, optional: false);
            }
        }

        if (seen == 0)
        {
            reader.Missing(name, scalar.Expected);
        }

        return Outcome(reader, string.Create(CultureInfo.InvariantCulture, $"{value}"));
    }

    private static string BindArray(HttpArgumentReader reader)
    {
        var seen = 0UL;
        List<string>? values = null;
        while (reader.MoveNext())
        {
            if (!reader.Is("xs"))
            {
                reader.SkipUnknown();
            }
            else if (reader.Begin(ref seen, 0, "xs", repeatable: true))
            {
                reader.ReadElements(ref values, Scalars.String);
                reader.End(ref seen, 0, optional: true);
            }
        }

        return Outcome(reader, string.Join(',', values ?? []));
    }

    private static string BindBytes(string query, byte[] body)
    {
        var reader = Started(query);
        reader.AddRaw("data", body);
        var seen = 0UL;
        var value = ReadOnlyMemory<byte>.Empty;
        while (reader.MoveNext())
        {
            if (reader.Begin(ref seen, 0, "data"))
            {
                value = reader.ReadBytes();
                reader.End(ref seen, 0, optional: false);
            }
        }

        Assert.Equal(1UL, seen);
        return Outcome(reader, string.Join(',', value.ToArray()));
    }

    private static string Outcome(HttpArgumentReader reader, string value) => reader.Errors.Count == 0
        ? value
        : string.Join("; ", reader.Errors.ToArray().Select(static fault => $"{fault.Name} {fault.Source} {fault.Reason}"));

    [Fact]
    public void A_form_of_only_invalid_pairs_needs_no_more_memory_than_its_text()
    {
        var reader = new HttpArgumentReader();
        var form = string.Concat(Enumerable.Repeat("%&", 1_000_000));
        reader.Start("", refuseUnknown: false);
        reader.AddForm(form.AsMemory());
        Assert.InRange(
            AllocatedBy(() =>
            {
                while (reader.MoveNext())
                {
                }
            }),
            0,
            form.Length);
        Assert.Equal(1_000_000, reader.Errors.Count);
    }

    [Fact]
    public void A_name_of_megabytes_is_released_with_its_request()
    {
        var document = System.Text.Encoding.UTF8.GetBytes($"{{\"{new string('n', 4_000_000)}\":1}}");
        var reader = new JsonArgumentReader(document, "body", new BindingErrorList());
        Assert.InRange(AllocatedBy(Read), 8_000_000, 9_000_000);
        Assert.InRange(AllocatedBy(Read), 8_000_000, 9_000_000);
        reader.Reset("""{"short":1}"""u8.ToArray());
        Assert.True(reader.MoveNext());
        Assert.Equal("short", reader.Name.ToString());

        void Read()
        {
            reader.Reset(document);
            Assert.True(reader.MoveNext());
            Assert.Equal(4_000_000, reader.Name.Length);
            reader.Reset(default);
        }
    }

    private static long AllocatedBy(Action action)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
