using Weir;

if (WeirWorker.TryRun(args)) return;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Services.AddWeir();
var app = builder.Build();
app.MapWeir();
app.Run();
