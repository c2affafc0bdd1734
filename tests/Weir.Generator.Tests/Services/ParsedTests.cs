using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Parameters of types that parse their own text.</summary>
public sealed class ParsedTests
{
    private static readonly Served Served = Served.From(
        """
        using System.Diagnostics.CodeAnalysis;
        using Weir;
        namespace Sample;

        public readonly record struct Id(int Value) : IParsable<Id>
        {
            public static Id Parse(string s, IFormatProvider? provider) => TryParse(s, provider, out var id) ? id : throw new FormatException();
            public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out Id result)
            {
                result = default;
                if (s is not ['#', ..] || !int.TryParse(s[1..], System.Globalization.NumberStyles.Integer, provider, out var value)) return false;
                result = new Id(value);
                return true;
            }
            public override string ToString() => $"#{Value}";
        }

        public sealed class Point
        {
            public int X { get; set; }
            public static bool TryParse(string text, IFormatProvider provider, out Point? point) => (point = int.TryParse(text, out var x) ? new Point { X = x } : null) is not null;
            public override string ToString() => $"{X}";
        }

        public sealed class Old
        {
            public string Text { get; set; } = "";
            public static bool TryParse(string? text, out Old old) { old = new Old { Text = text! }; return text != "bad"; }
            public override string ToString() => Text;
        }

        public sealed record Pair(int Left, int Right)
        {
            public static bool TryParse(string? text, out Pair pair) { pair = text?.Split(',') is [var left, var right] ? new(int.Parse(left), int.Parse(right)) : null!; return pair is not null; }
        }

        [Service] public sealed class Far
        {
            [Get, Isolated("far")] public int Read(Pair pair, Pair?[]? more = null, System.Numerics.BigInteger number = default, decimal plain = 0) => pair.Left;
        }

        [Service] public sealed class All
        {
            [Get("{id}")] public string Read(Id id, Point point, Uri uri, Old old, Id? none = null, Id[]? ids = null, System.Net.IPAddress? address = null) =>
                $"{id} {point.X} {uri} {old.Text} {none} {string.Join('+', ids ?? [])} {address}";

            public int Sent([Microsoft.AspNetCore.Mvc.FromBody] Point point) => point.X;

            public int Number([Microsoft.AspNetCore.Mvc.FromBody] int value) => value;

            public int Numbers([Microsoft.AspNetCore.Mvc.FromBody] int[] value) => value.Length;
        }
        """);

    [Fact]
    public async Task Text_is_parsed_by_the_type_itself_and_travels_as_text()
    {
        var bound = Served.Query("All/Read", ("id", "#5"), ("point", "7"), ("uri", "https://a.test/b?c=d"), ("old", "o"), ("ids", "#1"), ("ids", "#2"), ("address", "::1")).Good();
        Assert.Equal("""{"id":"#5","point":"7","uri":"https://a.test/b?c=d","old":"o","none":null,"ids":["#1","#2"],"address":"::1"}""", bound.Values);
        Assert.Equal("\"#5 7 https://a.test/b?c=d o  #1+#2 ::1\"", Served.Result(await Served.Run(bound)));
        Assert.Equal(bound.Values, Served.Json("All/Read", bound.Values).Good().Values);
        Assert.False(Served.Operation("All/Read").HasPlainArguments);
    }

    [Fact]
    public void A_worker_gets_the_text_that_arrived()
    {
        var bound = Served.Query("Far/Read", ("pair", "01, 2"), ("more", "3,4"), ("more", "+5,6"), ("number", "007")).Good();
        Assert.Equal("""{"pair":"01, 2","more":["3,4","+5,6"],"number":"007","plain":0}""", bound.Values);
        Assert.Equal(bound.Values, bound.Values);
        Assert.Equal(bound.Values, Served.Json("Far/Read", bound.Values).Good().Values);
        Assert.Equal("""{"pair":"1,2","more":[null,"3,4"],"number":"0","plain":0}""", Served.Json("Far/Read", """{"pair":"1,2","more":[null,"3,4"]}""").Good().Values);
    }

    [Fact]
    public void A_value_of_code_is_written_by_its_own_text_or_refused()
    {
        var bound = Served.Query("Far/Read", ("pair", "1,2"), ("number", "007")).Good();
        bound.Call.SetArgument(2, new System.Numerics.BigInteger(8));
        Assert.Equal("""{"pair":"1,2","more":null,"number":"8","plain":0}""", bound.Values);

        // The second is not the one that was parsed.
        bound.Call.SetArgument(0, bound.Call.GetArgument(0));
        var error = Assert.Throws<ArgumentException>(() => bound.Values);
        Assert.Contains("A Pair is read from text and cannot be written as text", error.Message, StringComparison.Ordinal);
        Assert.Contains("WEIR1057", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_call_that_is_used_again_has_no_texts_of_the_one_before()
    {
        var bound = Served.Query("Far/Read", ("pair", "1,2"), ("number", "007")).Good();
        bound.Call.Bind(new ArgumentListReader([Argument.Text("pair", "3,4")], new BindingErrorList()));
        Assert.Equal("""{"pair":"3,4","more":null,"number":"0","plain":0}""", bound.Values);
    }

    [Fact]
    public void Text_that_the_type_refuses_is_invalid() => Assert.Equal(
        ["id: invalid", "ids[1]: invalid", "old: invalid", "point: invalid", "uri: missing"],
        Served.Query("All/Read", ("id", "5"), ("point", "x"), ("old", "bad"), ("ids", "#1"), ("ids", "2")).Reasons.Order());

    [Theory]
    [InlineData("All/Number", "1 2")]
    [InlineData("All/Number", "1]")]
    [InlineData("All/Numbers", "[1] [2]")]
    [InlineData("All/Numbers", "[1],")]
    public void A_body_of_a_value_that_text_can_hold_is_one_JSON_value(string operation, string body) =>
        Assert.Equal(["value: malformed"], Served.Read(operation, Argument.Json("value", body)).Reasons);

    [Fact]
    public async Task A_body_of_such_a_type_is_JSON() => Assert.Equal("9", await Served.Respond("All/Sent", """{"point":{"x":9}}"""));
}
