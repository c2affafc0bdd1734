using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Names and constructors that the runtime and the serializer see in another way than the source.</summary>
public sealed class NameAndConstructorTests
{
    private static readonly Served Served = Served.From(
        """
        using System;
        using Weir;
        namespace Shop.@event;

        public sealed class NoStockException(string message) : Exception(message);

        public class Person
        {
            public Person() { }
            public Person(string name) => Name = name;
            public string Name { get; set; } = "none";
            public int Age { get; set; }
        }

        [Service] public sealed class S
        {
            [Throws(typeof(NoStockException), Status = 409)] public string Greet(Person person) => $"{person.Name} {person.Age}";
        }
        """);

    [Fact]
    public void A_declared_exception_has_the_name_that_the_runtime_gives_it() =>
        Assert.Equal("Shop.event.NoStockException", Assert.Single(Served.Operation("S/Greet").Throws).TypeName);

    [Fact]
    public async Task An_object_is_made_by_its_constructor_without_parameters_as_the_serializer_does() =>
        Assert.Equal("\"none 3\"", Served.Result(await Served.Run(Served.Json("S/Greet", """{"person":{"age":3}}""").Good())));
}
