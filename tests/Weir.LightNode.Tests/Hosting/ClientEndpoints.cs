using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Weir.LightNode.Tests.Contracts;

namespace Weir.LightNode.Tests.Hosting;

/// <summary>Endpoints of the application that call the services by their generated clients: those in the host, and their isolated twins.</summary>
internal static class ClientEndpoints
{
    internal static void Map(IEndpointRouteBuilder app)
    {
        var inline = app.MapGroup("/Client");
        inline.MapGet("/Defaults", static (ITestContractClient client) => client.AddWithDefault(10, 20));
        inline.MapGet("/Sum", static (IArrayContractClient client) => client.Sum([1, 2, 3]));
        inline.MapGet("/Null", static async (IParameterContractClient client) => await client.Nullable(null));
        inline.MapGet("/Enum", static async (IEnumContractClient client) => $"{await client.MyEnum(MyEnum.B)}; {await client.MyFlagEnum(MyFlagEnum.B)}; {await client.MyFlagEnum(MyFlagEnum.B | MyFlagEnum.C)}");
        inline.MapGet("/Enums", static async (IEnumContractClient client) => await client.EnumArray([Fruit.Orange, Fruit.Apple]));
        inline.MapGet("/Bytes", static async (ITestContractClient client) => (await client.EchoByte([1, 2, 3])).Length);
        inline.MapGet("/Object", static (ITestContractClient client) => client.CreatePerson(7, "x"));
        inline.MapGet("/Stream", static (ITestContractClient client) => client.Count(3));
        inline.MapGet("/Void", static async (ITestContractClient client, CancellationToken ct) =>
        {
            await client.TaskVoidCheck("client", "After", ct);
            return await client.Stored("client", ct);
        });
        inline.MapGet("/Status", static async (IStatusCodeContractClient client) => await StatusOfAsync(async () => await client.Conflict()));

        var isolated = app.MapGroup("/IsolatedClient");
        isolated.MapGet("/Defaults", static (IIsolatedTestContractClient client) => client.AddWithDefault(10, 20));
        isolated.MapGet("/Sum", static (IIsolatedArrayContractClient client) => client.Sum([1, 2, 3]));
        isolated.MapGet("/Null", static async (IIsolatedParameterContractClient client) => await client.Nullable(null));
        isolated.MapGet("/Enum", static async (IIsolatedEnumContractClient client) => $"{await client.MyEnum(MyEnum.B)}; {await client.MyFlagEnum(MyFlagEnum.B)}; {await client.MyFlagEnum(MyFlagEnum.B | MyFlagEnum.C)}");
        isolated.MapGet("/Enums", static async (IIsolatedEnumContractClient client) => await client.EnumArray([Fruit.Orange, Fruit.Apple]));
        isolated.MapGet("/Bytes", static async (IIsolatedTestContractClient client) => (await client.EchoByte([1, 2, 3])).Length);
        isolated.MapGet("/Object", static (IIsolatedTestContractClient client) => client.CreatePerson(7, "x"));
        isolated.MapGet("/Stream", static (IIsolatedTestContractClient client) => client.Count(3));
        isolated.MapGet("/Void", static async (IIsolatedTestContractClient client, CancellationToken ct) =>
        {
            await client.TaskVoidCheck("client", "After", ct);
            return await client.Stored("client", ct);
        });
        isolated.MapGet("/Status", static async (IIsolatedStatusCodeContractClient client) => await StatusOfAsync(async () => await client.Conflict()));
    }

    /// <summary>A client keeps the status and the content of an error. LightNode's loses the content.</summary>
    private static async Task<string> StatusOfAsync(Func<Task> call)
    {
        try
        {
            await call();
            return "none";
        }
        catch (OperationStatusException refused)
        {
            return $"{refused.StatusCode} {refused.Content}";
        }
    }
}
