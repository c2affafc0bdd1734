using Weir.Lab.Jobs;
using Weir.Lab.Measuring;

var began = Clock.Now;
await JobsProgram.RunAsync(args, began);
