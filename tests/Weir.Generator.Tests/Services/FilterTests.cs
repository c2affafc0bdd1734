using System.ComponentModel;
using System.Reflection;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>What filters see of an operation: its arguments by position, and a method with its signature.</summary>
public sealed class FilterTests
{
    private static readonly Served Served = Served.From(
        """
        using System.ComponentModel;
        using Weir;
        namespace Sample;

        public sealed record Item(string Name);

        public sealed class HiddenAttribute(string text, params int[] numbers) : Attribute
        {
            public string Text => text;
            public int[] Numbers => numbers;
            public Type? Type { get; set; }
        }

        [Service] public sealed class Shop
        {
            [Description("orders")]
            public Task<int> Order(CancellationToken ct, [DefaultValue(9)] int count, Item item, [Microsoft.AspNetCore.Mvc.FromServices] IServiceProvider services, [Hidden("a\"", 1, 2, Type = typeof(List<>)), Warned] string? note = "x", params int[] rest) =>
                Task.FromResult(count);

            public void Nothing() { }

            [Operation("one")] public string Twice(int x) => "1";

            [Operation("two")] public string Twice(string x) => "2";
        }

        public sealed class WarnedAttribute : Attribute
        {
            [System.Diagnostics.CodeAnalysis.RequiresUnreferencedCode("of its members")] public WarnedAttribute() { }
        }

        [Service] public interface IDesk
        {
            [Description("contract")] ValueTask<string> Ask([Description("contract")] string question, [Description("asked")] int times, CancellationToken cancellationToken);
        }

        [Service] public sealed class Desk : IDesk
        {
            public ValueTask<string> Ask([Description("class")] string question, int times, CancellationToken cancellationToken) => new(question + times);
        }
        """);

    [Fact]
    public void An_argument_is_read_and_replaced_by_the_position_of_its_parameter()
    {
        var call = Served.Json("Shop/Order", """{"count":2,"item":{"name":"nail"}}""").Good().Call;

        Assert.Equal(2, call.GetArgument(0));
        Assert.Equal("Item { Name = nail }", call.GetArgument(1)!.ToString());
        Assert.Equal("x", call.GetArgument(2));
        Assert.Equal(Array.Empty<int>(), call.GetArgument(3));

        call.SetArgument(0, 3);
        call.SetArgument(2, null);
        Assert.Equal(3, call.GetArgument(0));
        Assert.Null(call.GetArgument(2));
    }

    [Fact]
    public void A_value_of_another_type_is_refused()
    {
        var call = Served.Json("Shop/Order", """{"count":2,"item":{"name":"nail"}}""").Good().Call;

        Assert.Throws<InvalidCastException>(() => call.SetArgument(0, "3"));
        Assert.Throws<NullReferenceException>(() => call.SetArgument(0, null));
        Assert.Throws<InvalidCastException>(() => call.SetArgument(1, "nail"));
        Assert.Equal(2, call.GetArgument(0));
    }

    [Theory]
    [InlineData("Shop/Order", 4)]
    [InlineData("Shop/Order", -1)]
    [InlineData("Shop/Nothing", 0)]
    public void A_position_without_a_parameter_is_refused(string operation, int index)
    {
        var call = Served.Create(operation);
        Assert.Throws<ArgumentOutOfRangeException>(() => call.GetArgument(index));
        Assert.Throws<ArgumentOutOfRangeException>(() => call.SetArgument(index, null));
    }

    [Fact]
    public async Task A_result_of_the_same_type_is_taken()
    {
        var call = await Served.Run(Served.Json("Shop/Order", """{"count":2,"item":{"name":"nail"}}""").Good());

        Assert.True(call.TrySetResult(7));
        Assert.False(call.TrySetResult("7"));
        Assert.False(call.TrySetResult(null));
        Assert.Equal("7", Driving.Served.Result(call));
        Assert.False(Served.Create("Shop/Nothing").TrySetResult(null));
        Assert.True(Served.Create("Desk/Ask").TrySetResult(null));
    }

    [Fact]
    public void The_declaration_has_the_name_parameters_defaults_and_result_of_the_method()
    {
        var method = Method("Shop/Order");

        Assert.Equal(("Order", typeof(Task<int>)), (method.Name, method.ReturnType));
        Assert.Equal(["ct", "count", "item", "services", "note", "rest"], method.GetParameters().Select(static one => one.Name));
        Assert.Equal([-1, 0, 1, -1, 2, 3], Served.Operation("Shop/Order").MethodParameters);
        Assert.Equal("x", method.GetParameters()[4].DefaultValue);
        Assert.False(method.GetParameters()[1].HasDefaultValue);
        Assert.Equal(typeof(int), Method("Shop/one").GetParameters()[0].ParameterType);
        Assert.Equal(typeof(string), Method("Shop/two").GetParameters()[0].ParameterType);
        Assert.Equal([0], Served.Operation("Shop/one").MethodParameters);
        Assert.Empty(Method("Shop/Nothing").GetParameters());
    }

    [Fact]
    public void The_declaration_has_the_attributes_of_the_method_and_of_its_parameters()
    {
        var method = Method("Shop/Order");

        Assert.Equal("orders", method.GetCustomAttribute<DescriptionAttribute>()!.Description);
        Assert.Equal(9, method.GetParameters()[1].GetCustomAttribute<DefaultValueAttribute>()!.Value);
        dynamic hidden = method.GetParameters()[4].GetCustomAttributes().Single(static one => one.GetType().Name == "HiddenAttribute");
        Assert.Equal(("a\"", 2, typeof(List<>)), (hidden.Text, hidden.Numbers.Length, hidden.Type));

        // Where the compiler would warn of an attribute again, in code that its author cannot see.
        Assert.Null(method.GetParameters()[4].GetCustomAttributes().SingleOrDefault(static one => one.GetType().Name == "WarnedAttribute"));
    }

    [Fact]
    public void The_declaration_joins_the_attributes_of_contract_and_class()
    {
        var method = Method("Desk/Ask");

        Assert.Equal("contract", method.GetCustomAttribute<DescriptionAttribute>()!.Description);
        Assert.Equal("class", method.GetParameters()[0].GetCustomAttribute<DescriptionAttribute>()!.Description);
        Assert.Equal("asked", method.GetParameters()[1].GetCustomAttribute<DescriptionAttribute>()!.Description);
    }

    private static MethodInfo Method(string operation) => Served.Operation(operation).Method!().Method;
}
