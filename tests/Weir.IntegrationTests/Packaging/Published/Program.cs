using Weir;

if (WeirWorker.TryRun(args)) return;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Services.AddWeir();
builder.Services.AddHttpClient("limited").AddFanOutLimits(static limits => limits.MaxConcurrency = 2);
var app = builder.Build();
app.MapWeir();
app.MapWeirService<Greeter>("/filtered").AddEndpointFilterFactory(static (factory, next) =>
{
    var name = Array.FindIndex(factory.MethodInfo.GetParameters(), static one => one.Name == "name");
    return name < 0 ? next : async context =>
    {
        if (context.GetArgument<string>(name) is "stranger")
        {
            return Results.StatusCode(403);
        }

        context.Arguments[name] = context.GetArgument<string>(name) + "!";
        return $"{await next(context)} from {factory.MethodInfo.Name}";
    };
});
app.Run();
