using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// One truth about enums in query, form and JSON: names in any case and defined numbers. LightNode refuses names by default; its option for them is
/// Weir's default. M1 and M2 number the cases of LightNode's tests of its enum parser.
/// </summary>
public abstract class EnumTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("MyEnum", "B", "B")] // M1 1
    [InlineData("MyEnum", "b", "B")] // M1 3; M1 2 refuses it where case counts, which it never does in Weir.
    [InlineData("MyEnum", "2", "C")] // M1 6, M1 11
    [InlineData("MyEnum", "0", "A")]
    [InlineData("MyEnum", "300", "D")]
    [InlineData("MyFlagEnum", "B", "B")] // M2 1
    [InlineData("MyFlagEnum", "b", "B")] // M2 3; M2 2 is like M1 2.
    [InlineData("MyFlagEnum", "2", "C")] // M2 5, M2 9
    [InlineData("MyFlagEnum", "3", "B,C")] // M2 6, M2 8
    [InlineData("MyFlagEnum", "20", "D,E")] // M2 7
    [InlineData("MyFlagEnum", "0", "A")]
    [InlineData("MyFlagEnum", "23", "B,C,D,E")]
    [InlineData("MyFlagEnum", "B,C", "B,C")] // LightNode takes one name only.
    [InlineData("MyFlagEnum", "c, b", "B,C")]
    [InlineData("Aliased", "first", "First")] // LightNode does not start with two names for one value.
    [InlineData("Aliased", "SECOND", "First")]
    [InlineData("Aliased", "1", "First")]
    [InlineData("Aliased", "2", "Other")]
    [InlineData("Renamed", "red-ish", "red-ish")]
    [InlineData("Renamed", "GRÜN", "grün")]
    [InlineData("Renamed", "0", "red-ish")]
    [InlineData("SmallSigned", "-128", "Lowest")]
    [InlineData("SmallSigned", "127", "Highest")]
    [InlineData("SmallSigned", "HIGHEST", "Highest")]
    [InlineData("SmallUnsigned", "0", "Lowest")]
    [InlineData("SmallUnsigned", "255", "Highest")]
    [InlineData("SmallUnsigned", "lowest", "Lowest")]
    [InlineData("ShortSigned", "-32768", "Lowest")]
    [InlineData("ShortSigned", "32767", "Highest")]
    [InlineData("ShortSigned", "highest", "Highest")]
    [InlineData("ShortUnsigned", "0", "Lowest")]
    [InlineData("ShortUnsigned", "65535", "Highest")]
    [InlineData("ShortUnsigned", "hIGHEST", "Highest")]
    [InlineData("Signed", "-2147483648", "Lowest")]
    [InlineData("Signed", "2147483647", "Highest")]
    [InlineData("Signed", "lowEST", "Lowest")]
    [InlineData("Unsigned", "0", "Lowest")]
    [InlineData("Unsigned", "4294967295", "Highest")]
    [InlineData("Unsigned", "highest", "Highest")]
    [InlineData("LongSigned", "-9223372036854775808", "Lowest")]
    [InlineData("LongSigned", "9223372036854775807", "Highest")]
    [InlineData("LongSigned", "lowest", "Lowest")]
    [InlineData("LongUnsigned", "0", "Lowest")]
    [InlineData("LongUnsigned", "18446744073709551615", "Highest")]
    [InlineData("LongUnsigned", "highest", "Highest")]
    [InlineData("LongFlags", "9223372036854775809", "Lowest,Highest")]
    [InlineData("LongFlags", "highest,lowest", "Lowest,Highest")]
    public async Task Names_in_any_case_and_defined_numbers_are_values(string type, string text, string name)
    {
        var path = $"/EnumContract/{type}";
        var encoded = Uri.EscapeDataString(text);
        string[] bodies =
        [
            (await GetAsync($"{path}?e={encoded}")).Body,
            (await PostAsync(path, Form, $"e={encoded}")).Body,
            (await PostAsync(path, Json, $$"""{"e":{{(char.IsAsciiDigit(text[^1]) ? text : $"\"{text}\"")}}}""")).Body,
            (await PostAsync(path, Json, $$"""{"e":"{{name}}"}""")).Body, // What the server writes, it reads.
        ];
        Assert.All(bodies, body => Assert.Equal($"\"{name}\"", body));
    }

    [Theory]
    [InlineData("MyEnum", "bb")] // M1 4
    [InlineData("MyEnum", "3")] // M1 5, M1 10
    [InlineData("MyEnum", "")] // M1 8
    [InlineData("MyEnum", "34hoge")] // M1 9
    [InlineData("MyEnum", "100")] // M1 15
    [InlineData("MyEnum", "-1")]
    [InlineData("MyEnum", "2.0")]
    [InlineData("MyEnum", "4294967298")]
    [InlineData("MyEnum", " B")]
    [InlineData("MyEnum", "B ")]
    [InlineData("MyEnum", "B,C")]
    [InlineData("MyFlagEnum", "10")] // M2 4, M2 10
    [InlineData("MyFlagEnum", "100")] // M2 15
    [InlineData("MyFlagEnum", "-1")]
    [InlineData("MyFlagEnum", "8")]
    [InlineData("MyFlagEnum", "B,X")]
    [InlineData("MyFlagEnum", "B,2")]
    [InlineData("MyFlagEnum", "B,")]
    [InlineData("MyFlagEnum", " B")]
    [InlineData("Aliased", "3")]
    [InlineData("Renamed", "Red")]
    [InlineData("SmallSigned", "0")]
    [InlineData("SmallSigned", "128")]
    [InlineData("SmallUnsigned", "1")]
    [InlineData("SmallUnsigned", "256")]
    [InlineData("ShortSigned", "0")]
    [InlineData("ShortSigned", "32768")]
    [InlineData("ShortUnsigned", "1")]
    [InlineData("ShortUnsigned", "65536")]
    [InlineData("Signed", "0")]
    [InlineData("Signed", "2147483648")]
    [InlineData("Unsigned", "1")]
    [InlineData("Unsigned", "4294967296")]
    [InlineData("LongSigned", "0")]
    [InlineData("LongSigned", "9223372036854775808")]
    [InlineData("LongUnsigned", "1")]
    [InlineData("LongUnsigned", "-1")]
    [InlineData("LongUnsigned", "18446744073709551616")]
    [InlineData("LongFlags", "2")]
    public async Task Nothing_else_is_a_value(string type, string text)
    {
        var path = $"/EnumContract/{type}";
        var encoded = Uri.EscapeDataString(text);
        Assert.Equal("e query invalid", (await GetAsync($"{path}?e={encoded}")).BindingErrors());
        Assert.Equal("e form invalid", (await PostAsync(path, Form, $"e={encoded}")).BindingErrors());
        Assert.Equal("e body invalid", (await PostAsync(path, Json, $$"""{"e":"{{text}}"}""")).BindingErrors());
        if (long.TryParse(text, out _))
        {
            Assert.Equal("e body invalid", (await PostAsync(path, Json, $$"""{"e":{{text}}}""")).BindingErrors());
        }
    }

    [Fact]
    public async Task Null_is_no_value() => // M1 7
        Assert.Equal("e body null", (await PostAsync("/EnumContract/MyEnum", Json, """{"e":null}""")).BindingErrors());

    // LightNode takes a plus sign, and spaces after a number.
    [Theory]
    [InlineData("02", true)]
    [InlineData("%2B2", false)]
    [InlineData("2+", false)]
    [InlineData("+2", false)]
    public async Task A_number_may_have_zeros_before_it_and_nothing_else(string text, bool isValue)
    {
        var answer = await GetAsync($"/EnumContract/Enum?fruit={text}");
        if (isValue)
        {
            Assert.Equal((200, "Orange"), (answer.Status, answer.Body));
        }
        else
        {
            Assert.Equal("fruit query invalid", answer.BindingErrors());
        }
    }

    [Theory]
    [InlineData("e=B&f=3", "3001")]
    [InlineData("e=d&f=E", "16300")]
    [InlineData("e=1", "1")]
    public async Task Names_and_numbers_arrive_as_the_same_value(string query, string body) => Assert.Equal(body, (await GetAsync($"/EnumContract/Number?{query}")).Body);

    [Theory]
    [InlineData("Enum?fruit=2", "Orange")]
    [InlineData("Enum?fruit=Orange", "Orange")] // 400 with LightNode, whose names are an option.
    [InlineData("Enum?fruit=oRange", "Orange")]
    [InlineData("EnumNullable?fruit=2", "Orange")]
    [InlineData("EnumNullable?fruit=oRange", "Orange")]
    [InlineData("EnumDefaultValue", "Apple")]
    [InlineData("EnumDefaultValue?fruit=2", "Orange")]
    [InlineData("EnumDefaultValue?fruit=oRange", "Orange")]
    [InlineData("EnumNullableDefaultValue", "Apple")] // 500 with LightNode.
    [InlineData("EnumNullableDefaultValue?fruit=2", "Orange")]
    [InlineData("EnumArray", "Empty")]
    [InlineData("EnumArray?fruit=2", "Orange")]
    [InlineData("EnumArray?fruit=oRange&fruit=3", "Orange,Apple")]
    [InlineData("FlagArray?e=B,C&e=16&e=0", "3|16|0")]
    public async Task A_parameter_of_any_shape_takes_the_same_values(string request, string body)
    {
        var answer = await GetAsync($"/EnumContract/{request}");
        Assert.Equal((200, Text, body), (answer.Status, answer.ContentType, answer.Body));
    }

    [Fact]
    public async Task An_absent_nullable_enum_is_null()
    {
        var answer = await GetAsync("/EnumContract/EnumNullable");
        Assert.Equal((200, Json, "null"), (answer.Status, answer.ContentType, answer.Body));
    }

    // Where a value is no value, LightNode takes null, the default, or an empty list.
    [Theory]
    [InlineData("Enum", "fruit request missing")]
    [InlineData("Enum?fruit=hogemoge", "fruit query invalid")]
    [InlineData("Enum?fruit=1&fruit=2", "fruit query duplicate")]
    [InlineData("EnumNullable?fruit=10000", "fruit query invalid")]
    [InlineData("EnumNullable?fruit=hogemoge", "fruit query invalid")]
    [InlineData("EnumDefaultValue?fruit=10000", "fruit query invalid")]
    [InlineData("EnumDefaultValue?fruit=hogemoge", "fruit query invalid")]
    [InlineData("EnumNullableDefaultValue?fruit=10000", "fruit query invalid")]
    [InlineData("EnumArray?fruit=oRange&fruit=hogemoge", "fruit[1] query invalid")]
    [InlineData("EnumArray?fruit=4&fruit=1&fruit=x", "fruit[0] query invalid, fruit[2] query invalid")]
    public async Task A_parameter_of_any_shape_refuses_the_same_values(string request, string errors) =>
        Assert.Equal(errors, (await GetAsync($"/EnumContract/{request}")).BindingErrors());
}

public sealed class InlineEnumTests(LightNodeApplication application) : EnumTests(application, Placement.Inline);

public sealed class IsolatedEnumTests(LightNodeApplication application) : EnumTests(application, Placement.Isolated);
